/** More columns do not fit beside each other. */
const COLUMNS_MAX = 5;
/** Longer texts make lines of a table that nobody reads. */
const CELL_CHARACTERS = 120;

/** The columns of a list whose items are small objects with no object in them; null: it is no such list. */
export function flatTable(items: readonly unknown[]): string[] | null {
  const columns = new Set<string>();
  if (items.length < 2) return null;
  for (const item of items) {
    if (typeof item !== 'object' || item === null || Array.isArray(item)) return null;
    const entries = Object.entries(item);
    if (entries.length === 0 || !entries.every(([, value]) => fitsCell(value))) return null;
    for (const [name] of entries) columns.add(name);
    if (columns.size > COLUMNS_MAX) return null;
  }
  return [...columns];
}

function fitsCell(value: unknown): boolean {
  if (typeof value === 'string') return value.length <= CELL_CHARACTERS && !value.includes('\n');
  return typeof value !== 'object' || value === null;
}
