import { SECRET_FORMS_MIN_CHARS, SECRET_MASK_MIN_CHARS } from './limits.js';

/**
 * Every byte string that gives the secret away: itself, as it stands in JSON text, in URLs and forms, and inside base64.
 * Empty when it is too short to be masked at all (SECRET_MASK_MIN_CHARS); shorter than SECRET_FORMS_MIN_CHARS, itself alone.
 */
export function secretForms(secret: string): Buffer[] {
  if (secret.length < SECRET_MASK_MIN_CHARS) return [];
  // What a process gets has no lone surrogates either; encodeURIComponent throws on them.
  const value = secret.toWellFormed();
  const texts =
    value.length < SECRET_FORMS_MIN_CHARS
      ? [value]
      : [value, ...jsonForms(value), ...urlForms(value), ...base64Forms(value)];
  return [...new Set(texts)].map((text) => Buffer.from(text));
}

/** As JavaScript writes it, and as encoders do that keep to ASCII or escape slashes. */
function jsonForms(value: string): string[] {
  const plain = JSON.stringify(value).slice(1, -1);
  const ascii = plain.replace(
    /[\u007f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return [plain, ascii].flatMap((text) => [text, text.replaceAll('/', '\\/')]);
}

/** Percent-encoded with a blank as `%20` or `+`, also by encoders that escape `!'()*` or `~`, or write small hexadecimal digits. */
function urlForms(value: string): string[] {
  const plain = encodeURIComponent(value);
  const strict = plain.replace(
    /[!'()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  const form = new URLSearchParams([['', value]]).toString().slice('='.length);
  return [plain, strict, form]
    .flatMap((text) => [text, text.replaceAll('%20', '+')])
    .flatMap((text) => [text, text.replace(/%../g, (code) => code.toLowerCase())]);
}

const BYTE_BITS = 8;
const DIGIT_BITS = 6;
/** Bytes that base64 writes as a group: the value may begin at each of them. */
const GROUP_BYTES = 3;

/**
 * The digits that hold nothing but bits of the value, for each place in a group where it may begin: they are the same
 * whatever stands before and behind it. A digit at either end that it shares with a neighbour is left out.
 */
function base64Forms(value: string): string[] {
  const bytes = Buffer.from(value);
  return Array.from({ length: GROUP_BYTES }, (_, offset) => {
    const digits = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64');
    return digits.slice(
      Math.ceil((offset * BYTE_BITS) / DIGIT_BITS),
      Math.floor(((offset + bytes.length) * BYTE_BITS) / DIGIT_BITS),
    );
  }).flatMap((text) => [text, text.replaceAll('+', '-').replaceAll('/', '_')]);
}
