import type { WorkflowDetail, WorkflowEntry, WorkflowHistoryItem } from '@uncaged/protocol/api';
import type { ListedVersion, ListedWorkflow, ShownWorkflow } from '../registry/index.js';
import { toTime, toTimeOrNull } from './time.js';

/** A row of the list. */
export function workflowEntry(listed: ListedWorkflow): WorkflowEntry {
  const { name, origin, kind, hash, timestamp, description, problem } = listed;
  return { name, hash, kind, origin, timestamp: toTimeOrNull(timestamp), description, problem };
}

/** A workflow in full. */
export async function workflowDetail(shown: ShownWorkflow): Promise<WorkflowDetail> {
  const { name, origin, kind, hash, timestamp, definition } = shown;
  // Later, because it brings the evaluator of rules with it.
  const { describeDefinition } = await import('@uncaged/protocol/moderator');
  return {
    name,
    hash,
    kind,
    origin,
    timestamp: toTimeOrNull(timestamp),
    description: definition?.description ?? null,
    inputs: definition?.inputs ?? null,
    descriptor:
      definition === null
        ? { description: '', roles: {}, graph: { edges: [] } }
        : describeDefinition(definition),
    history: shown.history.map((version) => ({
      hash: version.hash,
      kind: version.kind,
      timestamp: toTime(version.timestamp),
    })),
  };
}

/** Versions with the head first. */
export function workflowHistoryItems(versions: readonly ListedVersion[]): WorkflowHistoryItem[] {
  return versions.map(({ hash, kind, timestamp }, index) => ({
    hash,
    kind,
    timestamp: toTimeOrNull(timestamp),
    current: index === 0,
  }));
}
