import { readFileSync, statSync } from 'node:fs';

/** SQLite's write lock is byte 120 of the `-shm` file (SQLite "WAL-mode File Format", 2.3). */
const WAL_WRITE_LOCK_BYTE = 120;

/**
 * Pid of the process that is writing to the database at `path`, or null when nobody is or this system does not say
 * (only Linux has /proc/locks; a process in another pid namespace is shown as 0).
 */
export function walWriter(path: string): number | null {
  return holderOf(`${path}-shm`, WAL_WRITE_LOCK_BYTE);
}

/** Pid of the process that has the rollback-mode database at `path` locked, or null. */
export function exclusiveHolder(path: string): number | null {
  return holderOf(path, null);
}

function holderOf(path: string, byte: number | null): number | null {
  let inode: number;
  let locks: string;
  try {
    inode = statSync(path).ino;
    locks = readFileSync('/proc/locks', 'utf8');
  } catch (error) {
    // No /proc/locks, or the file went away: the holder stays unknown.
    if (error instanceof Error && 'code' in error) return null;
    throw error;
  }
  return findHolder(locks, inode, byte);
}

/** Exported for its test. `1: POSIX  ADVISORY  WRITE 4711 fe:00:131089 120 120`; the end may be `EOF`. */
export function findHolder(locks: string, inode: number, byte: number | null): number | null {
  for (const line of locks.split('\n')) {
    // A line with `->` is a process that waits.
    const match = /^\d+: \S+\s+\S+\s+WRITE (\d+) [0-9a-f]+:[0-9a-f]+:(\d+) (\d+) (\d+|EOF)/.exec(
      line,
    );
    if (match === null || Number(match[2]) !== inode) continue;
    const last = match[4] === 'EOF' ? Number.POSITIVE_INFINITY : Number(match[4]);
    if (byte !== null && (byte < Number(match[3]) || byte > last)) continue;
    const pid = Number(match[1]);
    if (pid > 0) return pid;
  }
  return null;
}
