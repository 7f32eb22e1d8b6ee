const DIGITS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
/** The first so many characters of a ULID are its time. */
const TIME_CHARACTERS = 10;

/** When a thread was made, as its id (a ULID) says: ISO, UTC. Null: it is no such id. */
export function timeOfId(id: string): string | null {
  let ms = 0;
  for (const character of id.slice(0, TIME_CHARACTERS)) {
    const digit = DIGITS.indexOf(character);
    if (digit === -1) return null;
    ms = ms * DIGITS.length + digit;
  }
  const time = new Date(ms);
  return id.length < TIME_CHARACTERS || Number.isNaN(time.getTime()) ? null : time.toISOString();
}
