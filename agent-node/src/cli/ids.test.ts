import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isProblem, type Problem } from '@uncaged/protocol/problem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openStore, type Store } from '../store/index.js';
import { parseHash, parseThreadId, parseVersion } from './ids.js';

let root: string;
let store: Store;
let hashes: string[];
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'uwf-ids-'));
  store = await openStore(root, { clock: Date.now });
  hashes = store.write('full', () =>
    Array.from({ length: 50 }, (_, i) => store.nodes.putText(`text ${i}`)),
  );
});
afterAll(async () => {
  store.close();
  await rm(root, { recursive: true });
});

function problemOf(parse: () => unknown): Problem {
  try {
    parse();
  } catch (error) {
    if (isProblem(error)) return error;
    throw error;
  }
  throw new Error('did not fail');
}

const BAD = [
  '',
  ' ',
  '../x',
  '..',
  '/etc/passwd',
  'a\0b',
  'x'.repeat(10_000),
  '漢字漢字漢字漢字',
  'ILOU-ILOU-ILO',
  '0123456789AB!',
  '%2e%2e%2f',
  '\u001b[31mred\u001b[0m',
  '__proto__',
  'ABCDE',
];

describe('ids that are none', () => {
  it.each(BAD)('are refused in a short, printable message: %j', (text) => {
    for (const parse of [
      () => parseHash(store, text),
      () => parseHash(null, text),
      () => parseThreadId(store, text),
      () => parseVersion(hashes, text),
    ]) {
      const problem = problemOf(parse);
      expect(problem).toMatchObject({ code: 'invalid-id', status: 400 });
      expect(problem.message.length).toBeLessThan(200);
      expect(problem.message).not.toMatch(/[\x00-\x1f]/);
    }
  });

  it('cut the value to 40 characters', () => {
    expect(problemOf(() => parseHash(store, 'y'.repeat(10_000))).message).toContain(
      `"${'y'.repeat(40)}…"`,
    );
  });
});

describe('parseHash', () => {
  it('takes whole hashes in both cases, and unique prefixes', () => {
    for (const hash of hashes) {
      expect(parseHash(store, hash)).toBe(hash);
      expect(parseHash(store, hash.toLowerCase())).toBe(hash);
      expect(parseHash(store, hash.slice(0, 6))).toBe(hash);
      expect(parseHash(store, hash.slice(0, 12).toLowerCase())).toBe(hash);
    }
  });

  it('says when there is no such entry', () => {
    for (const text of ['0000000000000', 'zzzzzzzzzzzzz', 'ZZZZZZ', '0000000000001']) {
      const problem = problemOf(() => parseHash(store, text));
      expect(problem).toMatchObject({ code: 'node-not-found', status: 404 });
      expect(problem.message).toBe(`cas entry not found: ${text.toUpperCase()}`);
    }
  });

  it('names the candidates of an ambiguous prefix', () => {
    const problem = problemOf(() => parseVersion(['ABCDEF0000000', 'ABCDEF1111110'], 'abcdef'));
    expect(problem).toMatchObject({ code: 'ambiguous-id', status: 400 });
    expect(problem.message).toContain('ABCDEF0000000, ABCDEF1111110');
  });

  it('takes only whole hashes without a store', () => {
    expect(parseHash(null, hashes[0]!.toLowerCase())).toBe(hashes[0]);
    expect(problemOf(() => parseHash(null, hashes[0]!.slice(0, 8))).code).toBe('invalid-id');
  });
});

describe('parseThreadId', () => {
  const fake = (ids: string[]) =>
    ({
      threads: {
        get: (id: string) => (ids.includes(id) ? { id } : null),
        findByPrefix: (prefix: string, limit: number) =>
          ids.filter((id) => id.startsWith(prefix)).slice(0, limit),
      },
    }) as unknown as Store;
  const one = '01ARZ3NDEKTSV4RRFFQ69G5FAV';
  const two = '01ARZ3NDEKTSV4RRFFQ69G5FAW';

  it('takes whole ids in both cases, and unique prefixes', () => {
    expect(parseThreadId(fake([one]), one.toLowerCase())).toBe(one);
    expect(parseThreadId(fake([one]), '01arz3')).toBe(one);
    expect(parseThreadId(fake([one, two]), one)).toBe(one);
  });

  it('tells unknown, ambiguous and impossible ones apart', () => {
    expect(problemOf(() => parseThreadId(fake([two]), one)).message).toContain(
      `thread not found: ${one}`,
    );
    expect(problemOf(() => parseThreadId(fake([one, two]), '01ARZ3')).code).toBe('ambiguous-id');
    expect(problemOf(() => parseThreadId(fake([]), `8${one.slice(1)}`)).code).toBe('invalid-id');
    expect(problemOf(() => parseThreadId(fake([one]), `${one}0`)).code).toBe('invalid-id');
  });
});
