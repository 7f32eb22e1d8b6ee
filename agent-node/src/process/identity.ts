import { existsSync, readFileSync } from 'node:fs';
import { readProcess, runTool } from './process-table.js';

/**
 * A process of this machine in this boot; a pid alone may be somebody else's by now. `processStart` is opaque text that
 * also tells boots apart, so it may be stored without `bootId`.
 */
export type ProcessIdentity = { pid: number; processStart: string; bootId: string };

/** Of a living process, or null when there is none with this pid. */
export function processIdentity(pid: number): ProcessIdentity | null {
  const row = readProcess(pid);
  if (row === null || row.ended) return null;
  const boot = bootId();
  return { pid, processStart: formatStart(boot, row.began), bootId: boot };
}

/** When a process began, as stored beside its pid; also of one that ended but was not reaped. Null when there is none. */
export function processStartOf(pid: number): string | null {
  const row = readProcess(pid);
  return row === null ? null : formatStart(bootId(), row.began);
}

/** True when the process is gone, a zombie, from before the last boot, or the number now belongs to another. */
export function isProcessDead(identity: ProcessIdentity): boolean {
  const now = processIdentity(identity.pid);
  return (
    now === null || now.bootId !== identity.bootId || now.processStart !== identity.processStart
  );
}

/** ms of a clock that all processes of one boot share and nobody sets. */
export function monotonicMs(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1000 + Math.floor(nanoseconds / 1_000_000);
}

const BOOT_ID_FILE = '/proc/sys/kernel/random/boot_id';

/** Changes with each boot of the machine. */
export function bootId(): string {
  if (process.platform === 'linux') {
    // Some sandboxes hide it; start times then still tell processes apart within the sandbox's life.
    return existsSync(BOOT_ID_FILE) ? readFileSync(BOOT_ID_FILE, 'latin1').trim() : 'unknown';
  }
  return runTool('sysctl', ['-n', 'kern.bootsessionuuid']).trim().toLowerCase() || 'unknown';
}

const BOOT_PREFIX_LENGTH = 8;

function formatStart(boot: string, began: number): string {
  return `${boot.slice(0, BOOT_PREFIX_LENGTH)}.${began}`;
}

/** The `began` of a process row, or null when the text is from another boot. */
export function parseStart(processStart: string): number | null {
  const dot = processStart.lastIndexOf('.');
  if (processStart.slice(0, dot) !== bootId().slice(0, BOOT_PREFIX_LENGTH)) return null;
  return Number(processStart.slice(dot + 1));
}
