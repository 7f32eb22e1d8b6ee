import { hostname } from 'node:os';
import { labelsSchema, nodeNameSchema } from '@uncaged/protocol/ids';
import { type Allow, allowSchema } from '@uncaged/protocol/link';
import { Problem } from '@uncaged/protocol/problem';
import { isLoopback } from '../../link/index.js';
import { QUOTED_MAX_CHARACTERS } from '../limits.js';

const DEFAULT_ALLOW = 'read,control,run';
const NAME_MAX_CHARACTERS = 63;

/** Each as the node dials it. Throws invalid-argument. */
export function parseGateways(given: readonly string[], insecure: boolean): string[] {
  if (given.length === 0)
    throw new Problem(
      'invalid-argument',
      'which gateway? Give its address, for example --gateway https://gateway.example',
    );
  return [...new Set(given.map((text) => parseGateway(text, insecure)))];
}

function parseGateway(text: string, insecure: boolean): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:'))
    throw new Problem(
      'invalid-argument',
      // It may hold a password, so it is not repeated.
      '--gateway takes an http:// or https:// URL, for example https://gateway.example',
    );
  if (url.username !== '' || url.password !== '')
    throw new Problem(
      'invalid-argument',
      '--gateway takes no name or password in the URL: others can read it. Put the token into a file and give --token-file',
    );
  if (url.search !== '' || url.hash !== '')
    throw new Problem(
      'invalid-argument',
      '--gateway takes a URL without "?" and "#": what the node asks for is added to its path',
    );
  if (url.protocol === 'http:' && !insecure && !isLoopback(url.hostname))
    throw new Problem(
      'invalid-argument',
      `${url.origin} is not encrypted: everybody on the way can read the token and all that is sent. Use https://, or say --insecure if the way is safe`,
    );
  return url.href.replace(/\/+$/, '');
}

/** Throws invalid-argument. */
export function parseNodeName(given: string | undefined, host: string = hostname()): string {
  if (given === undefined) return nameOfHost(host);
  if (nodeNameSchema.safeParse(given).success) return given;
  throw new Problem(
    'invalid-argument',
    `--name ${quote(given)} is no name of a node: lower-case letters, digits and "-", at most ${NAME_MAX_CHARACTERS}, for example build-1`,
  );
}

function nameOfHost(host: string): string {
  const name = (host.split('.')[0] ?? '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+/, '')
    .slice(0, NAME_MAX_CHARACTERS)
    .replace(/-+$/, '');
  return name === '' ? 'node' : name;
}

/** `os=linux,gpu=`. Throws invalid-argument. */
export function parseLabels(given: readonly string[]): Record<string, string> {
  const labels = new Map<string, string>();
  for (const pair of given.flatMap((text) => text.split(','))) {
    const at = pair.indexOf('=');
    if (at < 1)
      throw new Problem(
        'invalid-argument',
        `--labels takes key=value pairs such as os=linux,zone=eu, not ${quote(pair)}`,
      );
    const key = pair.slice(0, at);
    if (key === '__proto__')
      throw new Problem('invalid-argument', '--labels: "__proto__" cannot be a key');
    if (labels.has(key))
      throw new Problem('invalid-argument', `--labels has ${quote(key)} twice; give it once`);
    labels.set(key, pair.slice(at + 1));
  }
  const parsed = labelsSchema.safeParse(Object.fromEntries(labels));
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const key = issue?.path[0];
  throw new Problem(
    'invalid-argument',
    key === undefined
      ? `--labels cannot be used: ${issue?.message ?? 'invalid'}`
      : `--labels: ${quote(String(key))} or its value is invalid; letters, digits, ".", "_", "/" and "-", at most ${NAME_MAX_CHARACTERS} each`,
  );
}

/** Throws invalid-argument. */
export function parseAllow(given: string | undefined): Allow[] {
  const words = (given ?? DEFAULT_ALLOW).split(',').map((word) => word.trim());
  const allow = words.map((word) => {
    const parsed = allowSchema.safeParse(word);
    if (parsed.success) return parsed.data;
    throw new Problem(
      'invalid-argument',
      `--allow takes any of ${allowSchema.options.join(',')}, not ${quote(word)}`,
    );
  });
  return [...new Set(allow)];
}

function quote(text: string): string {
  const cut =
    text.length > QUOTED_MAX_CHARACTERS ? `${text.slice(0, QUOTED_MAX_CHARACTERS)}…` : text;
  return JSON.stringify(cut);
}
