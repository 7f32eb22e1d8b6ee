import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AuditRecord } from '@uncaged/protocol/api';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createAudit } from './create-audit.js';
import { CHUNK_BYTES, LINE_MAX_BYTES } from './limits.js';
import type { Audit } from './types.js';

const START_MS = Date.parse('2026-03-01T12:00:00.000Z');
const MIB = 1024 ** 2;
const GIB = 1024 * MIB;

let dir: string;
let file: string;
let now: number;
let logged: string[];
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'uwf-audit-'));
  file = join(dir, 'audit.jsonl');
  now = START_MS;
  logged = [];
});

afterEach(() => rmSync(dir, { recursive: true }));

const create = (maxBytes?: number) =>
  createAudit({
    file,
    clock: () => now,
    log: (_, text) => logged.push(text),
    ...(maxBytes === undefined ? {} : { maxBytes }),
  });

const record = (action: string): Omit<AuditRecord, 'at'> => ({
  role: 'operator',
  name: 'ada',
  address: '192.0.2.7',
  action,
  node: 'build-1',
  thread: null,
  status: 200,
});
const line = (action: string, at = '2026-03-01T12:00:00.000Z') =>
  `${JSON.stringify({ at, ...record(action) })}\n`;
const lines = () => readFileSync(file, 'utf8').trimEnd().split('\n');
const actions = (items: readonly AuditRecord[]) => items.map(({ action }) => action);

/** How often this process has the file open (Linux). */
function descriptorsOf(path: string): number {
  return readdirSync('/proc/self/fd').filter((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`) === path;
    } catch {
      // The one that the directory itself was read by.
      return false;
    }
  }).length;
}

async function allPages(audit: Audit, limit: number): Promise<string[][]> {
  const pages: string[][] = [];
  let cursor: string | undefined;
  do {
    const page = await audit.page({ limit, cursor });
    pages.push(actions(page.items));
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  return pages;
}

describe('record', () => {
  it('writes a line for each, in order, for this user alone', async () => {
    const audit = create();
    for (let i = 0; i < 500; i++) {
      audit.record(record(`a${i}`));
      if (i === 250) await audit.page({ limit: 1 });
    }
    await audit.close();
    const written = lines().map((text) => JSON.parse(text));
    expect(actions(written)).toEqual(Array.from({ length: 500 }, (_, i) => `a${i}`));
    expect(written[0]).toEqual({ at: '2026-03-01T12:00:00.000Z', ...record('a0') });
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it('goes on after what was written before', async () => {
    const first = create();
    first.record(record('a'));
    await first.close();
    const second = create();
    second.record(record('b'));
    await second.close();
    expect(lines()).toHaveLength(2);
  });

  it('makes what strangers send short, and one line', async () => {
    const audit = create();
    audit.record({ ...record('x\n'.repeat(50_000)), name: '\ud800', thread: '\u0000'.repeat(9e4) });
    audit.record({ ...record('b'), address: '\u0001'.repeat(9e4), name: '\u0001'.repeat(9e4) });
    audit.record({ ...record('c'), node: 'Not/a node' });
    await audit.close();
    expect(lines()).toHaveLength(3);
    expect((await audit.page({ limit: 9 })).items).toHaveLength(3);
  });

  it('never throws, complains once a minute, counts what is lost, and goes on when it can', async () => {
    mkdirSync(file);
    const audit = create();
    for (let i = 0; i < 5; i++) {
      audit.record(record(`lost${i}`));
      await audit.close();
    }
    expect(logged).toEqual([expect.stringMatching(/EISDIR.*1 records lost/)]);
    now += 60_000;
    audit.record(record('lost'));
    await audit.close();
    expect(logged).toHaveLength(2);
    expect(logged[1]).toMatch(/6 records lost/);
    rmdirSync(file);
    audit.record(record('kept'));
    await audit.close();
    expect(actions((await audit.page({ limit: 9 })).items)).toEqual(['kept']);
  });

  it('begins anew when somebody moves the file away', async () => {
    const audit = create();
    audit.record(record('a'));
    await audit.close();
    renameSync(file, `${file}.moved`);
    audit.record(record('b'));
    await audit.close();
    expect(actions((await audit.page({ limit: 9 })).items)).toEqual(['b']);
  });

  it('loses records that a disk which hangs cannot take, not the memory', async () => {
    const audit = create();
    for (let i = 0; i < 30_000; i++) audit.record(record('x'.repeat(800)));
    await audit.close();
    expect(logged).toEqual([expect.stringMatching(/too slow/)]);
    expect(lines().length).toBeLessThan(30_000);
    audit.record(record('after'));
    expect(actions((await audit.page({ limit: 1 })).items)).toEqual(['after']);
  });
});

describe('page', () => {
  it('is empty without a file, or with an empty one', async () => {
    const empty = { items: [], nextCursor: null };
    expect(await create().page({ limit: 10 })).toEqual(empty);
    writeFileSync(file, '');
    expect(await create().page({ limit: 10 })).toEqual(empty);
  });

  it('holds the newest first, with what was recorded just now', async () => {
    const audit = create();
    for (const action of ['a', 'b', 'c']) audit.record(record(action));
    expect(await allPages(audit, 2)).toEqual([['c', 'b'], ['a']]);
    expect(await allPages(audit, 3)).toEqual([['c', 'b', 'a']]);
  });

  it('goes on where it was while newer ones are written', async () => {
    const audit = create();
    for (const action of ['a', 'b', 'c']) audit.record(record(action));
    const { nextCursor } = await audit.page({ limit: 1 });
    audit.record(record('d'));
    const next = await audit.page({ limit: 9, cursor: nextCursor! });
    expect(actions(next.items)).toEqual(['b', 'a']);
  });

  it('leaves out damaged and torn lines', async () => {
    writeFileSync(
      file,
      `${line('a')}\n\n{"at":1}\nnull\n\u0000\u0000\n${line('b')}{"at":"2026-03-01T12:00:0`,
    );
    const audit = create();
    expect(await allPages(audit, 1)).toEqual([['b'], ['a']]);
    audit.record(record('c'));
    expect(await allPages(audit, 9)).toEqual([['c', 'b', 'a']]);
  });

  it('shows nothing for a cursor beyond the end, and whole lines for one in between', async () => {
    writeFileSync(file, line('a') + line('b'));
    const audit = create();
    expect(await audit.page({ limit: 9, cursor: '999999999999999' })).toEqual({
      items: [],
      nextCursor: null,
    });
    expect(await audit.page({ limit: 9, cursor: '0' })).toEqual({ items: [], nextCursor: null });
    const middle = String(line('a').length + 5);
    expect(actions((await audit.page({ limit: 9, cursor: middle })).items)).toEqual(['a']);
  });

  it('gives every record once, whatever the lengths of lines, of pages and of damage', async () => {
    const pieces = fc.array(
      fc.oneof(
        fc.integer({ min: 1, max: 700 }).map((length) => ({ good: true, length })),
        fc.integer({ min: 0, max: 2 * CHUNK_BYTES }).map((length) => ({ good: false, length })),
      ),
      { minLength: 1, maxLength: 150 },
    );
    await fc.assert(
      fc.asyncProperty(pieces, fc.integer({ min: 1, max: 60 }), async (parts, limit) => {
        const expected: string[] = [];
        const text = parts.map(({ good, length }, i) => {
          if (!good) return `${'z'.repeat(length)}\n`;
          const action = `${i} ${'ä'.repeat(length)}`;
          expected.unshift(action);
          return line(action);
        });
        writeFileSync(file, text.join(''));
        expect((await allPages(create(), limit)).flat()).toEqual(expected);
      }),
      { numRuns: 60 },
    );
  });

  it('takes lines up to the limit and none beyond', async () => {
    const bare = line('').length - 1;
    const fits = line('x'.repeat(LINE_MAX_BYTES - bare));
    const tooLong = line('y'.repeat(LINE_MAX_BYTES - bare + 1));
    writeFileSync(file, tooLong + fits + tooLong + line('a'));
    const { items } = await create().page({ limit: 9 });
    expect(items.map(({ action }) => action[0])).toEqual(['a', 'x']);
  });

  it('reads the end of a file of 1 GiB without reading the rest', async () => {
    writeFileSync(file, line('first'));
    truncateSync(file, GIB);
    appendFileSync(file, `\n${line('a')}${line('b')}${line('c')}`);
    const before = process.memoryUsage().rss;
    const { items, nextCursor } = await create().page({ limit: 2 });
    expect(actions(items)).toEqual(['c', 'b']);
    expect(Number(nextCursor)).toBeGreaterThan(GIB);
    expect(process.memoryUsage().rss - before).toBeLessThan(128 * MIB);
  });

  it('goes through long damage in chunks, without keeping it', async () => {
    writeFileSync(file, line('first'));
    truncateSync(file, 256 * MIB);
    appendFileSync(file, `\n${line('a')}`);
    const before = process.memoryUsage().rss;
    expect(actions((await create().page({ limit: 2 })).items)).toEqual(['a', 'first']);
    expect(process.memoryUsage().rss - before).toBeLessThan(128 * MIB);
  });
});

describe('a full file', () => {
  it('is kept once, and pages end with the file they began in', async () => {
    const audit = create(4 * line('aa').length);
    for (let i = 10; i < 20; i++) {
      audit.record(record(`a${i}`));
      await audit.close();
    }
    expect(await allPages(audit, 9)).toEqual([['a19', 'a18']]);
    const older = readFileSync(join(dir, 'audit.1.jsonl'), 'utf8').trimEnd().split('\n');
    expect(actions(older.map((text) => JSON.parse(text)))).toEqual(['a14', 'a15', 'a16', 'a17']);
    expect(logged).toEqual([]);
  });
});

describe('since', () => {
  it('goes back to a time, over the older file too', async () => {
    const audit = create(4 * line('aa').length);
    for (let i = 10; i < 16; i++) {
      audit.record(record(`a${i}`));
      await audit.close();
      now += 1000;
    }
    const seen: AuditRecord[] = [];
    for await (const one of audit.since(START_MS + 2000)) seen.push(one);
    expect(actions(seen)).toEqual(['a15', 'a14', 'a13', 'a12']);
  });

  it('closes the file when its reader leaves early', async () => {
    writeFileSync(file, line('a') + line('b'));
    const records = create().since(0);
    expect((await records.next()).value).toMatchObject({ action: 'b' });
    expect(descriptorsOf(file)).toBe(1);
    await records.return(undefined);
    expect(descriptorsOf(file)).toBe(0);
  });
});
