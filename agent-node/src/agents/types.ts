import type { Usage } from '@uncaged/protocol/cas';
import type { ThreadId } from '@uncaged/protocol/ids';

/** One call of an agent: everything it may know. */
export type AgentTask = {
  thread: ThreadId;
  seq: number;
  attempt: number;
  role: string;
  /** How many steps of this role the thread has committed before; counted from its chain, so a resume does not change it. */
  visit: number;
  /** What the agent reads: the assembled prompt, for a script the rendered Task alone. Made when it is read. */
  prompt: string;
  /** Directory it works in; absolute and existing. */
  workspace: string;
  /** Added to the environment of its processes (UWF_STEP, UWF_META_FILE, …). */
  env: Readonly<Record<string, string>>;
  /** Session to go on with, or null for a new one. */
  sessionId: string | null;
  /** Aborted on kill and on timeout; the agent ends its whole process tree before it settles. */
  signal: AbortSignal;
  /** Answer bytes as they come, in order. Throws output-too-large. */
  onOutput: (chunk: Uint8Array) => void;
  /** What it says beside the answer (stderr): shown live, its end quoted when it fails. */
  onNoise: (chunk: Uint8Array) => void;
  /** A process group was started; stored, so that a later attempt can end what is left of it. */
  onProcess: (group: { pgid: number; processStart: string }) => void;
  log: (tag: string, message: string) => void;
};

/** One tool that an agent called. What it does not tell is null; texts of any form, JSON as text. */
export type AgentToolCall = {
  name: string;
  arguments: string | null;
  result: string | null;
  durationMs: number | null;
};

/** One exchange with its model: what went in, what came out, and the tools it called for that, in order. */
export type AgentTurn = {
  input: string | null;
  output: string | null;
  reasoning: string | null;
  toolCalls: readonly AgentToolCall[];
  usage: Usage | null;
  latencyMs: number | null;
};

/** What an agent did within one call, as far as it tells. */
export type AgentTrace = { turns: readonly AgentTurn[]; durationMs: number | null };

export type AgentResult = {
  /** Of its process; null where there is none. Only scripts may end non-zero without failing. */
  exitCode: number | null;
  usage: Usage | null;
  sessionId: string | null;
  /** Without secrets and well-formed (`cleanTrace`); null when the agent tells nothing of what it did. */
  trace: AgentTrace | null;
};

/** Another workflow carries the role out, in a thread of its own; the engine runs it. */
export type NestedWorkflow = {
  kind: 'workflow';
  name: string;
  /** As the configuration names it. */
  workflow: string;
  /** Null: what the node says. */
  maxDepth: number | null;
};

/** Throws Problems only: agent-not-found, agent-failed, answer-empty, timeout, cancelled, secret-unresolved. */
export type Agent = {
  kind: string;
  name: string;
  run: (task: AgentTask) => Promise<AgentResult>;
};
