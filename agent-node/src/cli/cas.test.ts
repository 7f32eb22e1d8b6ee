import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
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

describe('uwf cas gc, verify and refs', () => {
  it('prints the one line that scripts read, and the rest beside it', async () => {
    const hash = (await uwf('cas', 'put', 'nobody needs this')).out.trim();
    const young = await uwf('cas', 'gc');
    expect(young.out).toBe('scanned 0 threads, 0 active refs, deleted 0 entries\n');
    expect(young.err).toContain('1 entry is not needed but too young');
    const tried = await uwf('cas', 'gc', '--grace', '0', '--dry-run');
    expect(tried.out).toBe('scanned 0 threads, 0 active refs, deleted 1 entries\n');
    expect(tried.err).toContain('nothing was deleted');
    const done = await uwf('cas', 'gc', '--grace', '0', '--compact');
    expect(done).toMatchObject({
      code: 0,
      out: 'scanned 0 threads, 0 active refs, deleted 1 entries\n',
    });
    expect((await uwf('cas', 'get', hash)).code).toBe(3);
    const json = await uwf('cas', 'gc', '--grace', '0s', '--json');
    expect(JSON.parse(json.out)).toMatchObject({ deletedEntries: 0, graceEntries: 0 });
    expect(await uwf('cas', 'gc', '--grace', 'soon')).toMatchObject({ code: 2 });
  });

  it('says that all is well, or what is not', async () => {
    const hash = (await uwf('cas', 'put', 'a text')).out.trim();
    expect(await uwf('cas', 'verify')).toMatchObject({
      code: 0,
      out: 'checked 1 entry: it is as it was stored\n',
    });
    const db = new Database(join(base, 'root', 'store.db'));
    db.exec("UPDATE node SET bytes=x''");
    db.close();
    const found = await uwf('cas', 'verify');
    expect(found.code).toBe(1);
    expect(found.out).toContain('checked 1 entry: 1 damaged\n');
    expect(found.out).toContain(
      `${hash}  content  its bytes have another hash; no thread needs it`,
    );
    const json = await uwf('cas', 'verify', '--json');
    expect(JSON.parse(json.out)).toMatchObject({ damagedCount: 1, damaged: [{ hash }] });
    const read = await uwf('cas', 'get', hash);
    expect(read.code).toBe(1);
    expect(read.err).toContain('uwf cas verify');
    await uwf('cas', 'put', 'a text');
    expect((await uwf('cas', 'get', hash, '--text')).out).toBe('a text');
    expect(await uwf('cas', 'verify', join(base, 'no-pack'))).toMatchObject({ code: 3 });
  });

  it('shows references both ways', async () => {
    const part = (await uwf('cas', 'put', 'part')).out.trim();
    const whole = JSON.stringify({ type: 'parts', payload: { size: 4, parts: [part] } });
    const hash = (await uwf('cas', 'put', '--node', whole)).out.trim();
    expect((await uwf('cas', 'refs', hash)).out).toBe(`refers to\n  ${part}\nis referred to by\n`);
    expect(JSON.parse((await uwf('cas', 'refs', part, '--json')).out)).toMatchObject({
      hash: part,
      refs: [],
      referrers: [{ hash, type: 'parts' }],
    });
  });
});
