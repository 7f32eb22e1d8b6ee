const two = (value: number) => String(value).padStart(2, '0');

/** ms since epoch → `2026-03-01 14:05:09 +01:00`: local time with its zone, so that it can be compared across machines. */
export function formatTime(ms: number): string {
  const date = new Date(ms);
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  const offset = -date.getTimezoneOffset();
  const sign = offset < 0 ? '-' : '+';
  const zone = `${sign}${two(Math.floor(Math.abs(offset) / 60))}:${two(Math.abs(offset) % 60)}`;
  return `${day} ${formatClock(ms)} ${zone}`;
}

/** ms since epoch → `2026-03-01 14:05:09`, local: for tables, where the zone is the same in every row. */
export function formatTimeShort(ms: number): string {
  return formatTime(ms).slice(0, 'yyyy-mm-dd hh:mm:ss'.length);
}

/** ms since epoch → `14:05:09`, local. */
export function formatClock(ms: number): string {
  const date = new Date(ms);
  return `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
}

/** A span in ms → `640 ms`, `4.2 s`, `3 m 05 s`, `2 h 10 m`, `3 d 4 h`. */
export function formatDuration(ms: number): string {
  const span = Math.max(0, ms);
  if (span < 1000) return `${Math.round(span)} ms`;
  // Rounded first, so that 59.96 s does not become "60.0 s".
  if (span < 59_950) return `${(span / 1000).toFixed(1)} s`;
  const seconds = Math.round(span / 1000);
  if (seconds < 3600) return `${Math.floor(seconds / 60)} m ${two(seconds % 60)} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 24 * 60) return `${Math.floor(minutes / 60)} h ${two(minutes % 60)} m`;
  const hours = Math.floor(minutes / 60);
  return `${Math.floor(hours / 24)} d ${hours % 24} h`;
}

/** Bytes → `512 B`, `3.4 kB`, `1.2 GB` (powers of 1000). */
export function formatBytes(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  const units = ['kB', 'MB', 'GB', 'TB'];
  let value = bytes / 1000;
  let unit = 0;
  while (value >= 999.95 && unit < units.length - 1) {
    value /= 1000;
    unit++;
  }
  return `${value.toFixed(1)} ${units[unit]}`;
}
