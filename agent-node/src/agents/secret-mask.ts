import { createPatternSearch, START } from './pattern-search.js';
import { secretForms } from './secret-forms.js';

/** Bytes go in as they come, and come out without the secrets. */
export type SecretMask = {
  /** What is certain by now; the chunk itself where there is nothing to mask. Empty when it may all still be of a secret. */
  add: (chunk: Uint8Array) => Uint8Array;
  /** What was held back. */
  end: () => Uint8Array;
};

const STARS = Buffer.from('***');
const NOTHING = new Uint8Array(0);

type Span = { start: number; end: number };

/**
 * Replaces every occurrence of a secret, in any of its forms (secretForms), by `***`; occurrences that overlap become one.
 * Everything else passes byte for byte, also what is not UTF-8. The result does not depend on how the stream was cut. At most
 * (longest form − 1) bytes are held back: those that end what came so far and begin a form.
 */
export function createSecretMask(secrets: readonly string[]): SecretMask {
  const forms = secrets.flatMap(secretForms);
  if (forms.length === 0) return { add: (chunk) => chunk, end: () => NOTHING };
  const search = createPatternSearch(forms);

  // Places are counted from the beginning of the stream.
  let state = START;
  let received = 0;
  /** Up to here everything was handed on or replaced. May lie ahead of what was decided: the end of a secret. */
  let done = 0;
  /** Found and not yet replaced; ascending, without overlaps. */
  let spans: Span[] = [];

  const note = (start: number, end: number) => {
    let first = start;
    for (let last = spans.at(-1); last && last.end > start; last = spans.at(-1)) {
      first = Math.min(first, last.start);
      spans.pop();
    }
    spans.push({ start: first, end });
  };

  /** Hands on what lies before `limit`. `held` are the bytes before `chunk` that were not handed on so far. */
  const release = (limit: number, held: Uint8Array, chunk: Uint8Array): Uint8Array => {
    const chunkStart = received - chunk.length;
    const pieces: Uint8Array[] = [];
    const pass = (end: number) => {
      const from = done - chunkStart;
      const to = end - chunkStart;
      if (from < 0) pieces.push(held.subarray(held.length + from, held.length + Math.min(to, 0)));
      if (to > 0) pieces.push(chunk.subarray(Math.max(from, 0), to));
      done = end;
    };
    let index = 0;
    for (; index < spans.length && spans[index]!.start < limit; index++) {
      const { start, end } = spans[index]!;
      // One that begins inside the last is part of it: its stars are out already.
      if (start >= done) {
        if (start > done) pass(start);
        pieces.push(STARS);
      }
      done = end;
    }
    spans = spans.slice(index);
    if (limit > done) pass(limit);
    return Buffer.concat(pieces);
  };

  return {
    add: (chunk) => {
      const held = search.begun(state);
      const chunkStart = received;
      state = search.read(state, chunk, (end, length) => {
        note(chunkStart + end - length, chunkStart + end);
      });
      received += chunk.length;
      return release(received - search.begun(state).length, held, chunk);
    },
    end: () => {
      const held = search.begun(state);
      state = START;
      return release(received, held, NOTHING);
    },
  };
}
