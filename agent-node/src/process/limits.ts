/** Between TERM and KILL, ms: a program that cleans up needs moments, a person who cancels waits for this. */
export const END_GRACE_MS = 5_000;

/** After KILL, ms: what is still there then hangs in the kernel or belongs to another user. */
export const KILL_LIMIT_MS = 3_000;

/** Looks at a tree that is being ended, ms apart: short at first since most obey at once, then sparse. */
export const END_POLL_FIRST_MS = 4;
export const END_POLL_MAX_MS = 100;

/** Looks at a process whose environment is just being replaced by exec, before it counts as having none. */
export const EXEC_RECHECKS = 3;

/** After the leader's exit, ms: its output is in the pipe already, only a background child holds the pipe longer. */
export const PIPE_DRAIN_MS = 500;

/** Looks for descendants while a process runs, ms apart: a daemon leaves its parent within moments of the start. */
export const TRACK_FIRST_MS = 20;
export const TRACK_MAX_MS = 1_000;

/** `ps`, `sysctl`, `mkfifo`, ms: they answer in a few; a machine that swaps may take longer. */
export const TOOL_TIMEOUT_MS = 10_000;

/** Output of `ps` with environments, bytes. */
export const TOOL_OUTPUT_MAX_BYTES = 64 * 1024 * 1024;
