const DIGITS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const ULID = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/;
/** The first so many characters of a ULID are its time. */
const TIME_CHARACTERS = 10;

/** When a thread was made, as its id (a ULID) says: ISO, UTC. Null: it is no such id. */
export function timeOfId(id: string): string | null {
  if (!ULID.test(id)) return null;
  let ms = 0;
  for (const character of id.slice(0, TIME_CHARACTERS))
    ms = ms * DIGITS.length + DIGITS.indexOf(character);
  return new Date(ms).toISOString();
}
