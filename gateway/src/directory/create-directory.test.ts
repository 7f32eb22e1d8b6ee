import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { machineDetailSchema, machineSchema } from '@uncaged/protocol/api';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  createDirectory,
  DIRECTORY_LIMITS,
  type Directory,
  type DirectoryLimits,
  machineDetail,
  machineJson,
} from './index.js';
import { helloOf, nodeOf, threadOf } from './samples.test-data.js';

let folder: string;
let file: string;
let logged: string[];
let now: number;
let opened: Directory[];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'directory-'));
  file = join(folder, 'nodes.json');
  logged = [];
  now = 1_000;
  opened = [];
});
afterEach(async () => {
  for (const directory of opened) await directory.close();
  await rm(folder, { recursive: true });
});

async function open(limits: Partial<DirectoryLimits> = {}): Promise<Directory> {
  const directory = await createDirectory({
    file,
    gateway: 'gw',
    now: () => now,
    log: (tag, text) => void logged.push(`${tag} ${text}`),
    limits: { ...DIRECTORY_LIMITS, ...limits },
  });
  opened.push(directory);
  return directory;
}
const names = (directory: Directory) => directory.list().map(({ hello }) => hello.node);

describe('what is known of nodes', () => {
  it('is listed by name, with when their state began', async () => {
    const directory = await open();
    directory.setState(helloOf('b'), 'online');
    directory.setState(helloOf('a'), 'update-needed');
    now = 2_000;
    directory.setState({ ...helloOf('b'), version: '2' }, 'online');
    expect(names(directory)).toEqual(['a', 'b']);
    expect(directory.get('b')).toMatchObject({ since: 1_000, hello: { version: '2' } });
    directory.setState(helloOf('b'), 'offline');
    expect(directory.get('b')).toMatchObject({ since: 2_000, state: 'offline', gateway: 'gw' });
    expect(directory.get('c')).toBeNull();
  });

  it('does not make a node that has a copy of a thread its host', async () => {
    const directory = await open();
    const own = threadOf();
    const copied = threadOf({ threadId: '01J00000000000000000000009' });
    directory.setState(helloOf('a'), 'online');
    directory.setSeen('a', { node: nodeOf('a'), threads: [own, { ...copied, imported: true }] });
    expect(directory.hostOf(own.threadId)).toBe('a');
    expect(directory.hostOf(copied.threadId)).toBeNull();
  });

  it('is there after a restart, and all of them are offline since they were last there', async () => {
    const before = await open();
    before.setState(helloOf('gone'), 'online');
    before.setState(helloOf('stays'), 'online');
    now = 2_000;
    before.setState(helloOf('gone'), 'offline');
    before.setSeen('stays', { node: nodeOf('stays'), threads: [threadOf()] });
    now = 3_000;
    await before.close();
    now = 9_000;
    const after = await open();
    expect(after.get('gone')).toMatchObject({ state: 'offline', since: 2_000, seen: null });
    expect(after.get('stays')).toEqual({
      ...before.get('stays'),
      state: 'offline',
      since: 3_000,
    });
  });

  it('lies in a file that only its owner can read, and is written without being asked to', async () => {
    await writeFile(`${file}.tmp`, 'left behind', { mode: 0o644 });
    const directory = await open({ writeAfterMs: 20 });
    directory.setState(helloOf('a'), 'online');
    await vi.waitFor(async () => expect(await readFile(file, 'utf8')).toContain('"a"'));
    directory.setState(helloOf('b'), 'online');
    await vi.waitFor(async () => expect(await readFile(file, 'utf8')).toContain('"b"'));
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await readdir(folder)).toEqual(['nodes.json']);
  });

  it('is written whole when it is large', async () => {
    const directory = await open({ batchCharacters: 100 });
    for (let index = 0; index < 200; index += 1)
      directory.setState(helloOf(`node-${index}`), 'offline');
    await directory.close();
    expect(names(await open())).toHaveLength(200);
  });

  it('stays in memory while it cannot be written, and is written later', async () => {
    await rm(folder, { recursive: true });
    const directory = await open({ writeAfterMs: 1, retryAfterMs: 20 });
    directory.setState(helloOf('a'), 'online');
    await vi.waitFor(() => expect(logged.join()).toContain('could not be written'));
    await mkdir(folder);
    await vi.waitFor(async () => expect(await readFile(file, 'utf8')).toContain('"a"'));
  });
});

describe('a file that is damaged', () => {
  it.each([
    ['cut off', '{"version":1,"writtenAt":1,"nodes":['],
    ['of another form', '{"version":1,"writtenAt":1,"nodes":[{"state":"online"}]}'],
    ['of a later version', '{"version":2}'],
    ['no JSON', '\u0000\u0001'],
    ['nested without end', '['.repeat(1_000_000)],
    [
      'with a name that is a path',
      JSON.stringify({
        version: 1,
        writtenAt: 1,
        nodes: [{ hello: helloOf('../x'), state: 'online', since: 1, gateway: 'g', seen: null }],
      }),
    ],
  ])('(%s) is kept aside, and the gateway starts', async (_what, text) => {
    await writeFile(file, text);
    const directory = await open();
    expect(directory.list()).toEqual([]);
    const aside = `${file}.damaged-1970-01-01T00-00-01.000Z`;
    expect(await readFile(aside, 'utf8')).toBe(text);
    expect(logged).toHaveLength(1);
    expect(logged[0]).toContain(aside);
    directory.setState(helloOf('a'), 'online');
    await directory.close();
    expect(names(await open())).toEqual(['a']);
  });

  it('only in what was last seen of a node costs that alone', async () => {
    const known = {
      hello: helloOf('a'),
      state: 'online',
      since: 1,
      gateway: 'g',
      seen: { at: 'x' },
    };
    await writeFile(file, JSON.stringify({ version: 1, writtenAt: 5, nodes: [known] }));
    const directory = await open();
    expect(directory.get('a')).toMatchObject({ state: 'offline', since: 5, seen: null });
    expect(logged).toEqual([]);
  });

  it('and cannot be read at all stops the start', async () => {
    await mkdir(file);
    await expect(open()).rejects.toMatchObject({ code: 'invalid-config' });
  });
});

describe('bounds', () => {
  it('forgets those that are offline for longest, never one that is online', async () => {
    const directory = await open({ nodesMax: 2 });
    directory.setState(helloOf('online'), 'online');
    for (const name of ['a', 'b', 'c']) {
      now += 1;
      directory.setState(helloOf(name), 'offline');
    }
    expect(names(directory)).toEqual(['c', 'online']);
    directory.setState(helloOf('c'), 'online');
    directory.setState(helloOf('d'), 'online');
    expect(names(directory)).toEqual(['c', 'd', 'online']);
  });

  it('keeps so many of the newest threads of a node, and no more characters than it may', async () => {
    const directory = await open({ seenThreadsMax: 3, seenMaxCharacters: 10_000 });
    directory.setState(helloOf('a'), 'online');
    const small = Array.from({ length: 5 }, () => threadOf());
    directory.setSeen('a', { node: nodeOf('a'), threads: small });
    expect(directory.get('a')?.seen?.threads).toEqual(small.slice(0, 3));
    const large = [threadOf(), threadOf({ summary: 'x'.repeat(20_000) })];
    directory.setSeen('a', { node: nodeOf('a'), threads: large });
    expect(directory.get('a')?.seen?.threads).toEqual(large.slice(0, 1));
  });

  it('remembers the threads that were used last', async () => {
    const directory = await open({ hostsMax: 2 });
    directory.setHost('t1', 'a');
    directory.setHost('t2', 'a');
    expect(directory.hostOf('t1')).toBe('a');
    directory.setHost('t3', 'b');
    expect(['t1', 't2', 't3'].map(directory.hostOf)).toEqual(['a', null, 'b']);
  });
});

describe('where a thread is', () => {
  it('is learnt from what was seen, also before a restart, and dropped when it was wrong', async () => {
    const thread = threadOf();
    const before = await open();
    before.setState(helloOf('a'), 'online');
    before.setSeen('a', { node: nodeOf('a'), threads: [thread] });
    expect(before.hostOf(thread.threadId)).toBe('a');
    await before.close();
    const after = await open();
    expect(after.hostOf(thread.threadId)).toBe('a');
    after.dropHost(thread.threadId);
    after.setState(helloOf('a'), 'online');
    expect(after.hostOf(thread.threadId)).toBeNull();
  });

  it('goes with its node when that is forgotten', async () => {
    const directory = await open();
    directory.setState(helloOf('a'), 'offline');
    directory.setHost('t', 'a');
    expect(directory.forget('a')).toBe(true);
    expect(directory.forget('a')).toBe(false);
    expect(directory.hostOf('t')).toBeNull();
    directory.setSeen('a', { node: nodeOf('a'), threads: [] });
    expect(directory.list()).toEqual([]);
  });
});

it('a node is told of as the API says, there or not', async () => {
  const directory = await open();
  directory.setState(helloOf('a'), 'online');
  const link = { mux: { rttMs: () => 1.5 } };
  const known = directory.get('a')!;
  expect(machineSchema.parse(machineJson(known, link))).toMatchObject({
    name: 'a',
    rttMs: 1.5,
    since: '1970-01-01T00:00:01.000Z',
  });
  expect(machineDetailSchema.parse(machineDetail(known, null))).toMatchObject({
    rttMs: null,
    node: null,
    threads: [],
    seenAt: null,
  });
  directory.setSeen('a', { node: nodeOf('a'), threads: [threadOf()] });
  const detail = machineDetailSchema.parse(machineDetail(directory.get('a')!, null));
  expect(detail).toMatchObject({ seenAt: '1970-01-01T00:00:01.000Z', node: { name: 'a' } });
  expect(detail.threads).toHaveLength(1);
});
