import type { EventJson, StepJson } from '@uncaged/protocol/api';
import type { EventRow, Store } from '../../store/index.js';
import { eventJson, stepJson } from '../../views/index.js';

/** An event, and with a commit the step itself. */
export function eventWithStep(store: Store, event: EventRow): EventJson & { step?: StepJson } {
  if (event.type !== 'step.committed') return eventJson(event);
  const row = store.steps
    .byHash(String(event.data.hash))
    .find((candidate) => candidate.thread === event.thread);
  return row === undefined ? eventJson(event) : { ...eventJson(event), step: stepJson(store, row) };
}
