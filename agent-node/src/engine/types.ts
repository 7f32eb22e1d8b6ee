import type { Hash } from '@uncaged/protocol/ids';
import type { Definition, WorkflowRun } from '@uncaged/protocol/workflow';
import type { WorkflowKind } from '../store/index.js';

/** A workflow ready to run: one generator for definitions and bundles alike. */
export type LoadedWorkflow = {
  name: string;
  kind: WorkflowKind;
  version: Hash;
  /** Null for bundles. Role settings (run, agent, timeout, …) are read from it. */
  definition: Definition | null;
  run: WorkflowRun;
};
