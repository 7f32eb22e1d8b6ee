import { readdirSync, readFileSync } from 'node:fs';

/** Runs, or could; one that has ended and only waits to be collected does not count. Linux. */
export function isAlive(pid: number): boolean {
  const stat = read(`/proc/${pid}/stat`);
  return stat !== null && !/^[ZX]/.test(stat.slice(stat.lastIndexOf(')') + 2));
}

/** Live processes whose environment or command line holds the text. */
export function processesWith(text: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => pid !== process.pid && isAlive(pid))
    .filter((pid) =>
      [`/proc/${pid}/environ`, `/proc/${pid}/cmdline`].some((file) => read(file)?.includes(text)),
    );
}

/** Null when the process is gone by now. */
function read(file: string): string | null {
  try {
    return readFileSync(file, 'latin1');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ESRCH' || code === 'EACCES') return null;
    throw error;
  }
}
