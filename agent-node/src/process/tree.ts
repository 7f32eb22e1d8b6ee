import { setTimeout as sleep } from 'node:timers/promises';
import { monotonicMs, parseStart } from './identity.js';
import { END_POLL_FIRST_MS, END_POLL_MAX_MS, EXEC_RECHECKS, KILL_LIMIT_MS } from './limits.js';
import { findCarriers, type ProcessRow, readProcess, readProcessTable } from './process-table.js';

/** Name of the environment variable that every process of a step carries. */
export const MARKER_VARIABLE = 'UWF_STEP';

/**
 * Value of the marker: which attempt at which step of which thread a process works for. A worker that has lost the thread
 * ends its own attempt by it, and not the one that somebody else has begun since.
 */
export function stepMarker(thread: string, seq: number, attempt: number): string {
  return `${thread}/${seq}/${attempt}`;
}

/** Which processes belong together; the caller need not have started them. */
export type ProcessTree = {
  /** Group of the leader and when it began, as stored at the spawn; null when the spawn was not recorded. */
  pgid: number | null;
  processStart: string | null;
  /** Value of UWF_STEP in the environment of the tree. */
  marker: string;
};

export type EndTreeOptions = ProcessTree & {
  /** Between TERM and KILL, ms. */
  graceMs: number;
  /** Processes seen earlier as descendants: pid → `began`. They may have left group, marker and parent since. */
  seen?: ReadonlyMap<number, number>;
  /** Aborted: no more grace, KILL now. */
  signal?: AbortSignal;
};

/**
 * Ends a whole tree: its group and session, its descendants, and whatever carries its marker. TERM first, KILL after the
 * grace, again until nothing is left. Gives the pids that could not be ended. Never signals this process, pid 1, or a
 * process that got the number of one that is gone.
 */
export async function endTree(options: EndTreeOptions): Promise<{ left: number[] }> {
  const seen = new Map(options.seen);
  const asked = new Set<string>();
  const graceEnds = monotonicMs() + options.graceMs;
  let killEnds: number | null = null;
  let pause = END_POLL_FIRST_MS;
  let rechecks = 0;
  for (;;) {
    const { rows, undecided, ownGroup } = findTree(options, seen);
    if (rows.length === 0 && (!undecided || ++rechecks > EXEC_RECHECKS)) return { left: [] };
    const now = monotonicMs();
    if (killEnds === null && (now >= graceEnds || options.signal?.aborted === true)) {
      killEnds = now + KILL_LIMIT_MS;
      pause = END_POLL_FIRST_MS;
    }
    if (killEnds !== null && now >= killEnds) return { left: rows.map((row) => row.pid) };
    for (const row of rows) {
      seen.set(row.pid, row.began);
      if (killEnds !== null) send(row, 'SIGKILL');
      else if (!asked.has(`${row.pid}.${row.began}`)) {
        asked.add(`${row.pid}.${row.began}`);
        // CONT: a stopped process cannot obey TERM.
        send(row, 'SIGTERM');
        send(row, 'SIGCONT');
      }
    }
    // At once for the whole group, so that one that forks faster than we look cannot outrun us.
    if (killEnds !== null && ownGroup !== null) sendNumber(-ownGroup, 'SIGKILL');
    await sleep(pause);
    if (rows.length > 0) pause = Math.min(pause * 2, END_POLL_MAX_MS);
  }
}

type FoundTree = {
  rows: ProcessRow[];
  /** Some process could not be judged yet. */
  undecided: boolean;
  /** The group's number, when it certainly is the tree's. */
  ownGroup: number | null;
};

function findTree(tree: ProcessTree, seen: ReadonlyMap<number, number>): FoundTree {
  const table = readProcessTable();
  const leaderBegan = tree.processStart === null ? null : parseStart(tree.processStart);
  const leader = table.find((row) => row.pid === tree.pgid);
  const leaderIsOurs = leader !== undefined && leader.began === leaderBegan;
  // Nothing of the tree is older than its leader: most processes of the machine need no second look.
  const eligible = table.filter(
    (row) =>
      !row.ended &&
      row.pid > 1 &&
      row.pid !== process.pid &&
      (leaderBegan === null || row.began >= leaderBegan),
  );
  const { carriers, undecided } = findCarriers(eligible, `${MARKER_VARIABLE}=${tree.marker}`);
  const members = new Set(
    eligible.filter((row) => carriers.has(row.pid) || seen.get(row.pid) === row.began),
  );
  // A number stays taken while its group has members: with the leader gone, one marked member proves the group.
  const groupIsOurs =
    leaderIsOurs || (leader === undefined && [...members].some((row) => row.pgid === tree.pgid));
  if (groupIsOurs)
    for (const row of eligible)
      if (row.pgid === tree.pgid || row.sid === tree.pgid) members.add(row);
  addDescendants(members, eligible);
  const callerGroup = table.find((row) => row.pid === process.pid)?.pgid;
  const ownGroup = groupIsOurs && tree.pgid !== callerGroup ? tree.pgid : null;
  return { rows: [...members], undecided, ownGroup };
}

function addDescendants(members: Set<ProcessRow>, eligible: readonly ProcessRow[]): void {
  const children = new Map<number, ProcessRow[]>();
  for (const row of eligible) {
    const siblings = children.get(row.ppid);
    if (siblings === undefined) children.set(row.ppid, [row]);
    else siblings.push(row);
  }
  // A Set hands out what is added while it is walked.
  for (const member of members)
    for (const child of children.get(member.pid) ?? []) members.add(child);
}

function send(row: ProcessRow, signal: NodeJS.Signals): void {
  if (readProcess(row.pid)?.began === row.began) sendNumber(row.pid, signal);
}

function sendNumber(number: number, signal: NodeJS.Signals): void {
  try {
    process.kill(number, signal);
  } catch (error) {
    // ESRCH: it ended meanwhile. EPERM: another user's, it will be reported as left.
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ESRCH' && code !== 'EPERM') throw error;
  }
}
