import type { Meta } from '@uncaged/protocol/workflow';
import type { Validator } from '../extract/index.js';
import type { Store, ThreadRow } from '../store/index.js';
import { NESTED_ANSWER_MAX_BYTES } from './limits.js';
import { nestedMeta } from './nested-meta.js';
import { loadLastStep } from './thread-context.js';
import type { LoadedWorkflow } from './types.js';

type Input = {
  store: Store;
  workflow: LoadedWorkflow;
  role: string;
  schema: Record<string, unknown> | null;
  validator: Validator;
  /** Completed. */
  child: ThreadRow;
};

/**
 * What a completed nested thread answers for its step: its summary, then its last answer; as meta that of its last step.
 * Throws answer-invalid, not retryable, when the role's schema takes none of the forms that this can have.
 */
export function nestedAnswer(input: Input): { text: string; meta: Meta } {
  const { store, child } = input;
  const last = loadLastStep(store, child);
  const summary = child.summary ?? '';
  const content =
    last === null ? '' : store.nodes.readText(last.contentHash, NESTED_ANSWER_MAX_BYTES);
  const text = [summary, content].filter((part) => part.trim() !== '').join('\n\n');
  return { text: text.toWellFormed(), meta: nestedMeta(input, last?.meta ?? {}) };
}
