import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runForTest } from './testing.js';

let base: string;
beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'uwf-cas-'));
});
afterEach(() => rm(base, { recursive: true }));
const uwf = (...argv: string[]) => runForTest(argv, { root: join(base, 'root') });
const uwfWith = (stdin: string | Uint8Array, ...argv: string[]) =>
  runForTest(argv, { root: join(base, 'root'), stdin });

describe('uwf cas', () => {
  it('stores a text and gives it back as YAML, JSON, bytes and text', async () => {
    const put = await uwf('cas', 'put', 'hello\nworld');
    expect(put).toMatchObject({ code: 0, err: '' });
    const hash = put.out.trim();
    expect(hash).toMatch(/^[0-9A-HJKMNP-TV-Z]{13}$/);
    expect((await uwf('cas', 'get', hash)).out).toContain('text: |-\n    hello\n    world\n');
    expect(JSON.parse((await uwf('cas', 'get', hash, '--json')).out)).toEqual({
      hash,
      type: 'content',
      payload: { text: 'hello\nworld' },
      refs: [],
    });
    expect((await uwf('cas', 'get', hash.toLowerCase(), '--raw')).out).toBe(
      '{"payload":{"text":"hello\\nworld"},"refs":[],"type":"content"}',
    );
    expect((await uwf('cas', 'get', hash.slice(0, 6), '--text')).out).toBe('hello\nworld');
  });

  it('reads standard input when there is no text, or "-"', async () => {
    const { out } = await uwf('cas', 'put', 'from stdin');
    expect((await uwfWith('from stdin', 'cas', 'put')).out).toBe(out);
    expect((await uwfWith('from stdin', 'cas', 'put', '-')).out).toBe(out);
    expect((await uwfWith('from stdin', 'cas', 'put-text', '-')).out).toBe(out);
    expect(JSON.parse((await uwfWith('from stdin', 'cas', 'put', '--json')).out)).toEqual({
      hash: out.trim(),
    });
  });

  it('keeps input that is not text, or long, byte by byte', async () => {
    const bytes = Buffer.concat([Buffer.alloc(3_000_000, '漢'), Buffer.from([0, 0xff, 0x80])]);
    const hash = (await uwfWith(bytes, 'cas', 'put')).out.trim();
    const { out } = await uwf('cas', 'get', hash, '--text');
    expect(out === bytes.toString('utf8')).toBe(true);
  });

  it('always wraps text, also text that looks like a node', async () => {
    const text = '{"type":"content","payload":{"text":"x"},"refs":[]}';
    const hash = (await uwf('cas', 'put', text)).out.trim();
    const { payload } = JSON.parse((await uwf('cas', 'get', hash, '--json')).out) as {
      payload: unknown;
    };
    expect(payload).toEqual({ text });
  });

  it('checks a node that is given as one', async () => {
    const plain = (await uwf('cas', 'put', 'x')).out;
    expect(
      (await uwf('cas', 'put', '--node', '{"type":"content","payload":{"text":"x"}}')).out,
    ).toBe(plain);
    for (const [text, message] of [
      ['{', 'not JSON'],
      ['{"type":"content","payload":{}}', 'payload.text'],
      ['{"type":"nonsense","payload":{}}', 'type must be one of'],
      ['{"type":"parts","payload":{"size":1,"parts":["0000000000000"]}}', 'not in the store'],
    ] as const) {
      const { code, err } = await uwf('cas', 'put', '--node', text);
      expect({ text, code }).toEqual({ text, code: 2 });
      expect(err).toContain(message);
    }
  });

  it('lists what is stored, by type when asked', async () => {
    const hashes = [];
    for (let n = 0; n < 3; n++) hashes.push((await uwf('cas', 'put', `text ${n}`)).out.trim());
    const { items } = JSON.parse((await uwf('cas', 'list', '--json')).out) as {
      items: { hash: string }[];
    };
    expect(items.map((row) => row.hash)).toEqual(hashes.toSorted());
    expect(JSON.parse((await uwf('cas', 'list', '--json', '--limit', '2')).out).items).toHaveLength(
      2,
    );
    expect(JSON.parse((await uwf('cas', 'list', '--json', '--type', 'state')).out)).toEqual({
      items: [],
    });
    const table = (await uwf('cas', 'list', '--type', 'content')).out.trimEnd().split('\n');
    expect(table).toHaveLength(4);
    expect(table[0]).toMatch(/^HASH +TYPE +SIZE$/);
  });

  it('lists nothing of an empty store', async () => {
    expect(await uwf('cas', 'list', '--json')).toEqual({
      code: 0,
      out: '{"items": []}\n',
      err: '',
    });
  });

  it('removes an entry, but not one that the registry needs', async () => {
    const hash = (await uwf('cas', 'put', 'x')).out.trim();
    expect(await uwf('cas', 'rm', hash)).toEqual({
      code: 0,
      out: `removed cas entry ${hash}\n`,
      err: '',
    });
    expect(await uwf('cas', 'rm', hash)).toEqual({
      code: 3,
      out: '',
      err: `error: cas entry not found: ${hash}\n`,
    });
    const { writeFile } = await import('node:fs/promises');
    const kept = (await uwf('cas', 'put', 'kept')).out.trim();
    await writeFile(
      join(base, 'root', 'workflow.yaml'),
      `workflows:\n  a: {hash: "0000000000000", kind: definition, timestamp: 1, source: "${kept}"}\n`,
    );
    expect(await uwf('cas', 'rm', kept)).toMatchObject({ code: 4 });
    expect((await uwf('cas', 'get', kept)).code).toBe(0);
  });

  it('shows what a terminal would obey without letting it', async () => {
    const hash = (await uwf('cas', 'put', 'a\u001b]0;evil\u0007b\u009b31m')).out.trim();
    const { out } = await runForTest(['cas', 'get', hash, '--text'], {
      root: join(base, 'root'),
      columns: 80,
    });
    expect(out).toBe('ab\n');
    expect((await uwf('cas', 'get', hash)).out).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f]/);
  });
});
