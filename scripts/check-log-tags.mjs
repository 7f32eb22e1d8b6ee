// A tag leads from a line of a debug log to the one place in the code that wrote it: log('4KNMR2PX', '…').
import { readSources } from './sources.mjs';

const CALL = /\blog\(\s*(['"`])([^'"`]*)\1/g;
/** Crockford's Base32: no I, L, O, U. */
const TAG = /^[0-9A-HJKMNP-TV-Z]{8}$/;

const places = new Map();
const findings = [];
for (const { path, text, isTest } of readSources()) {
  if (isTest || path.startsWith('scripts/')) continue;
  for (const match of text.matchAll(CALL)) {
    const [, , tag] = match;
    const place = `${path}:${text.slice(0, match.index).split('\n').length}`;
    if (!TAG.test(tag))
      findings.push(
        `${place}: '${tag}' is not a log tag: 8 characters of 0-9 A-Z without I, L, O, U`,
      );
    else if (places.has(tag))
      findings.push(`${place}: log tag ${tag} is already used at ${places.get(tag)}`);
    else places.set(tag, place);
  }
}
for (const finding of findings) console.error(finding);
process.exitCode = findings.length === 0 ? 0 : 1;
