/** Numbers, sizes and times as text. Pure; what "now" is comes from outside. */

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** ms → `850 ms`, `4.2 s`, `3 m 05 s`, `2 h 07 m`, `3 d 4 h`. Negative (clocks differ) is zero. */
export function formatDuration(ms: number): string {
  const span = Math.max(0, ms);
  if (span < SECOND) return `${Math.round(span)} ms`;
  if (span < 9.95 * SECOND) return `${(span / SECOND).toFixed(1)} s`;
  const seconds = Math.round(span / SECOND);
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} m ${pad(seconds % 60)} s`;
  const minutes = Math.floor(span / MINUTE);
  if (span < DAY) return `${Math.floor(minutes / 60)} h ${pad(minutes % 60)} m`;
  const hours = Math.floor(span / HOUR);
  return `${Math.floor(hours / 24)} d ${hours % 24} h`;
}

function pad(value: number): string {
  return String(value).padStart(2, '0');
}

/** ms since something → `just now`, `40 s ago`, `5 m ago`, `3 h ago`, `6 d ago`. */
export function formatAgo(ms: number): string {
  if (ms < 5 * SECOND) return 'just now';
  if (ms < MINUTE) return `${Math.floor(ms / SECOND)} s ago`;
  if (ms < HOUR) return `${Math.floor(ms / MINUTE)} m ago`;
  if (ms < DAY) return `${Math.floor(ms / HOUR)} h ago`;
  return `${Math.floor(ms / DAY)} d ago`;
}

/** `1,234`; from 10,000 on `12.3k`, `4.5M`, `1.2G`. */
export function formatCount(count: number): string {
  if (count < 10_000) return count.toLocaleString('en-US');
  const [divisor, letter] =
    count < 999_500 ? [1e3, 'k'] : count < 999_500_000 ? [1e6, 'M'] : [1e9, 'G'];
  const value = count / divisor;
  return `${value < 99.95 ? value.toFixed(1).replace(/\.0$/, '') : Math.round(value)}${letter}`;
}

/** Bytes → `812 B`, `4.0 kB`, `3.2 MB`, `1.1 GB` (powers of 1,000). */
export function formatBytes(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  const units = ['kB', 'MB', 'GB', 'TB'];
  let value = bytes / 1_000;
  let unit = 0;
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1_000;
    unit += 1;
  }
  return `${value < 9.95 ? value.toFixed(1) : Math.round(value)} ${units[unit]}`;
}

/** `$0.00` for nothing, `<$0.01` for little, `$1.20`, `$1,234`. */
export function formatUsd(usd: number): string {
  if (usd === 0) return '$0.00';
  if (usd < 0.01) return '<$0.01';
  if (usd < 1_000) return `$${usd.toFixed(2)}`;
  return `$${Math.round(usd).toLocaleString('en-US')}`;
}

/** The first characters of a hash, the last of a ULID: those of its beginning are the time, the same for all of a day. */
export function shortId(id: string): string {
  return id.length > 20 ? `…${id.slice(-6)}` : id.slice(0, 7);
}

/** `14:03:22`, on another day than `now` with it: `30 Nov 14:03`, in another year `30 Nov 2025`. Local. */
export function formatTime(iso: string, now: number): string {
  const time = new Date(iso);
  const today = new Date(now);
  const clock = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;
  if (time.toDateString() === today.toDateString())
    return time.toLocaleTimeString('en-GB', { ...clock, second: '2-digit' });
  const day = { day: 'numeric', month: 'short' } as const;
  return time.getFullYear() === today.getFullYear()
    ? time.toLocaleString('en-GB', { ...day, ...clock }).replace(',', '')
    : time.toLocaleDateString('en-GB', { ...day, year: 'numeric' });
}

/** For the title of a time: local with its zone, and UTC. */
export function fullTime(iso: string): string {
  const time = new Date(iso);
  const local = time.toLocaleString('en-GB', {
    dateStyle: 'medium',
    timeStyle: 'long',
  });
  return `${local} — ${iso.replace('T', ' ').replace(/\.\d+Z$/, '')} UTC`;
}
