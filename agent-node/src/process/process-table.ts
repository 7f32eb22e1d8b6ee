import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { TOOL_OUTPUT_MAX_BYTES, TOOL_TIMEOUT_MS } from './limits.js';

/** One process as the system lists it. */
export type ProcessRow = {
  pid: number;
  ppid: number;
  pgid: number;
  /** Session id; where the system does not tell it, the group's. */
  sid: number;
  /** When it began: clock ticks since boot on Linux, seconds since epoch elsewhere. Comparable within one boot. */
  began: number;
  /** A zombie: it runs no code any more and waits for its parent to take note. */
  ended: boolean;
};

/** Whether a process carries an environment entry; `unknown` while exec is replacing its memory, or when it has none. */
type Carries = 'yes' | 'no' | 'unknown';

const onLinux = process.platform === 'linux';

export function readProcessTable(): ProcessRow[] {
  if (!onLinux) return parsePs(runTool('ps', ['-axo', PS_COLUMNS]));
  const rows: ProcessRow[] = [];
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const row = readProcess(Number(name));
    if (row !== null) rows.push(row);
  }
  return rows;
}

/** One row, or null when there is no such process. */
export function readProcess(pid: number): ProcessRow | null {
  if (!onLinux) return parsePs(runTool('ps', ['-o', PS_COLUMNS, '-p', String(pid)]))[0] ?? null;
  const stat = readIfThere(`/proc/${pid}/stat`);
  return stat === null ? null : parseStat(stat.toString('latin1'));
}

/** Which of these processes carry an environment entry, `NAME=value`, compared whole; `undecided`: some cannot be told yet. */
export function findCarriers(
  rows: readonly ProcessRow[],
  entry: string,
): { carriers: ReadonlySet<number>; undecided: boolean } {
  if (!onLinux)
    return {
      carriers: parsePsEnvironments(runTool('ps', PS_ENVIRONMENTS), entry),
      undecided: false,
    };
  const carriers = new Set<number>();
  let undecided = false;
  for (const row of rows) {
    const carries = carriesEntry(row.pid, entry);
    if (carries === 'yes') carriers.add(row.pid);
    // Kernel threads (group 0) have no environment ever.
    if (carries === 'unknown' && row.pgid !== 0) undecided = true;
  }
  return { carriers, undecided };
}

function carriesEntry(pid: number, entry: string): Carries {
  const environment = readIfThere(`/proc/${pid}/environ`);
  if (environment === null) return 'no';
  if (environment.length === 0) return 'unknown';
  return Buffer.concat([NUL, environment, NUL]).includes(`\0${entry}\0`) ? 'yes' : 'no';
}

/** Direct children, cheaply; empty where the system has no such list. */
export function readChildren(pid: number): number[] {
  if (!onLinux) return [];
  const children: number[] = [];
  for (const task of readDirIfThere(`/proc/${pid}/task`)) {
    const list = readIfThere(`/proc/${pid}/task/${task}/children`);
    for (const child of list?.toString('latin1').split(' ') ?? [])
      if (child !== '') children.push(Number(child));
  }
  return children;
}

const NUL = Buffer.from([0]);

// pid (comm) state ppid pgrp session …; comm may hold spaces and parentheses, so count from its last ')'.
function parseStat(stat: string): ProcessRow {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const state = fields[0];
  // A leader thread that left its others running shows as a zombie too; then threads (field 20) are more than one.
  const ended = state === 'X' || state === 'x' || (state === 'Z' && Number(fields[17]) <= 1);
  return {
    pid: Number.parseInt(stat, 10),
    ppid: Number(fields[1]),
    pgid: Number(fields[2]),
    sid: Number(fields[3]),
    began: Number(fields[19]),
    ended,
  };
}

const PS_COLUMNS = 'pid=,ppid=,pgid=,stat=,lstart=';

function parsePs(text: string): ProcessRow[] {
  const rows: ProcessRow[] = [];
  for (const line of text.split('\n')) {
    const match = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(.+?)\s*$/.exec(line);
    if (match === null) continue;
    const pgid = Number(match[3]);
    rows.push({
      pid: Number(match[1]),
      ppid: Number(match[2]),
      pgid,
      sid: pgid,
      began: Date.parse(`${match[5]} UTC`) / 1000,
      ended: match[4]?.startsWith('Z') === true,
    });
  }
  return rows;
}

const PS_ENVIRONMENTS = ['-axEww', '-o', 'pid=,command='];

// One call for all processes. An argument with a line break in it goes on in lines that begin without a number.
function parsePsEnvironments(text: string, entry: string): Set<number> {
  const carriers = new Set<number>();
  let pid = 0;
  for (const line of text.split('\n')) {
    pid = Number(/^\s*(\d+) /.exec(line)?.[1] ?? pid);
    if (` ${line} `.includes(` ${entry} `)) carriers.add(pid);
  }
  return carriers;
}

/** Stdout of a system tool; a tool that says "no such process" by its exit code gives an empty text. */
export function runTool(program: string, argv: readonly string[]): string {
  try {
    return execFileSync(program, argv, {
      encoding: 'latin1',
      env: { PATH: '/bin:/usr/bin:/sbin:/usr/sbin', LC_ALL: 'C', TZ: 'UTC' },
      timeout: TOOL_TIMEOUT_MS,
      maxBuffer: TOOL_OUTPUT_MAX_BYTES,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  } catch (error) {
    if (typeof (error as { status?: unknown }).status === 'number') return '';
    throw new Error(`${program} cannot be run, so processes cannot be listed`, { cause: error });
  }
}

// A process may end between two looks at it, and another user's is closed to us: both are "not there".
const GONE: ReadonlySet<string | undefined> = new Set([
  'ENOENT',
  'ESRCH',
  'EACCES',
  'EPERM',
  'EINVAL',
]);

function readIfThere(path: string): Buffer | null {
  try {
    return readFileSync(path);
  } catch (error) {
    if (GONE.has((error as NodeJS.ErrnoException).code)) return null;
    throw error;
  }
}

function readDirIfThere(path: string): string[] {
  try {
    return readdirSync(path);
  } catch (error) {
    if (GONE.has((error as NodeJS.ErrnoException).code)) return [];
    throw error;
  }
}

/** Pids that hold one of these deleted files open, this process excepted; empty where the system does not tell. */
export function findHolders(paths: readonly string[]): number[] {
  if (!onLinux) return [];
  const links = new Set(paths.map((path) => `${path} (deleted)`));
  return readProcessTable()
    .map((row) => row.pid)
    .filter((pid) => pid !== process.pid)
    .filter((pid) =>
      readDirIfThere(`/proc/${pid}/fd`).some((fd) =>
        links.has(readLinkIfThere(`/proc/${pid}/fd/${fd}`)),
      ),
    );
}

function readLinkIfThere(path: string): string {
  try {
    return readlinkSync(path);
  } catch (error) {
    if (GONE.has((error as NodeJS.ErrnoException).code)) return '';
    throw error;
  }
}
