/** A field of two metas; `undefined`: it is not there. */
export type FieldDiff = { name: string; a: unknown; b: unknown; isEqual: boolean };

type Meta = Readonly<Record<string, unknown>>;

/** The fields of either, in the order they come; those of `a` first. */
export function metaDiff(a: Meta, b: Meta): FieldDiff[] {
  const names = new Set([...Object.keys(a), ...Object.keys(b)]);
  return [...names].map((name) => {
    const before = Object.hasOwn(a, name) ? a[name] : undefined;
    const after = Object.hasOwn(b, name) ? b[name] : undefined;
    return { name, a: before, b: after, isEqual: isSame(before, after) };
  });
}

/** Equal as JSON; the order of an object's fields does not matter. */
function isSame(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const [ofA, ofB] = [Object.entries(a), Object.entries(b)];
  return (
    ofA.length === ofB.length &&
    ofA.every(([name, value]) => Object.hasOwn(b, name) && isSame(value, (b as Meta)[name]))
  );
}
