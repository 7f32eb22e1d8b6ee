import { expect, it } from 'vitest';
import { keys } from '../../api/index.js';
import { outdatedBy } from './live-cache.js';
import { sampleEvent, sampleSnapshot } from './sample.test-data.js';

it('makes everything old when something may have been missed, and nothing when not', () => {
  const data = sampleSnapshot();
  expect(outdatedBy({ type: 'snapshot', data, resumed: false })).toBeNull();
  expect(outdatedBy({ type: 'rejoined' })).toBeNull();
  expect(outdatedBy({ type: 'snapshot', data, resumed: true })).toEqual([]);
});

it('makes a thread old when a step of it is done, and only that', () => {
  const event = sampleEvent(1, 'step.committed');
  expect(outdatedBy({ type: 'event', data: event })).toEqual([
    keys.thread('build-1', event.thread!),
  ]);
});

it('makes the place of every queued thread of a node old when one begins or ends', () => {
  for (const type of ['thread.started', 'thread.completed', 'thread.removed'] as const) {
    const old = outdatedBy({ type: 'event', data: sampleEvent(1, type) });
    expect(old).toContainEqual(keys.queuePlaces('build-1'));
  }
});

it('makes the workflows of a node old when one of them changed', () => {
  const event = { ...sampleEvent(1, 'workflow.changed'), thread: null };
  expect(outdatedBy({ type: 'event', data: event })).toEqual([keys.workflows('build-1')]);
});
