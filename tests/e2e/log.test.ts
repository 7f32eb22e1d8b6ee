import { spawn } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { start, untilOwned, untilStatus } from '../support/threads.js';
import { until } from '../support/until.js';
import { createMachine, type Machine } from '../support/uwf.js';
import { oneScript, writeWorkflow } from '../support/workflows.js';

const BIN = fileURLToPath(new URL('../../agent-node/bin/uwf.js', import.meta.url));
const VERSION = '00000000000G0';
const GONE = '01JZ0000000000000000000000';
const OLD_S = 1_000_000_000;

type Listed = {
  items: { kind: string; name: string; path: string; size: number }[];
  count: number;
};

describe('uwf log', () => {
  let machine: Machine;
  beforeEach(() => {
    machine = createMachine();
  });
  afterEach(() => machine.dispose());

  /** A log as a thread leaves it. */
  function writeLog(thread: string, text: string, version = VERSION): string {
    const directory = join(machine.root, 'logs', version);
    mkdirSync(directory, { recursive: true });
    const path = join(directory, `${thread}.info.jsonl`);
    writeFileSync(path, text);
    return path;
  }
  const record = (tag: string, content: string) =>
    `${JSON.stringify({ tag, content, timestamp: Date.UTC(2026, 0, 1, 10, 20, 30) })}\n`;
  const age = (path: string) => utimesSync(path, OLD_S, OLD_S);

  it('lists the logs there are, and has none to list in an empty store', async () => {
    expect(await machine.uwf(['log', 'list'])).toMatchObject({
      code: 0,
      stdout: '',
      stderr: 'no logs\n',
    });
    const file = writeWorkflow(machine.cwd, 'one', oneScript('one', 'true'));
    await untilStatus(machine, await start(machine, file), 'completed');
    const path = writeLog(GONE, record('TAG00000', 'hello'));
    age(path);
    writeFileSync(join(machine.root, 'logs', 'notes.txt'), 'not a log');
    writeFileSync(join(machine.root, 'logs', 'workers', 'other.txt'), 'not a log');
    const { items, count } = await machine.json<Listed>(['log', 'list']);
    expect(count).toBe(2);
    expect(items.map(({ kind, name }) => [kind, name])).toEqual([
      ['worker', 'definitions'],
      ['thread', GONE],
    ]);
    const { stdout, stderr } = await machine.uwf(['log', 'list', '--limit', '1']);
    expect(stdout).toContain('definitions');
    expect(stdout).not.toContain(GONE);
    expect(stderr).toContain('1 of 2 logs');
  });

  it('shows a record a line, safe for a terminal; what is no record is passed over', async () => {
    writeLog(
      GONE,
      `${record('TAG00001', 'two\nlines \u001b[31mred\u0007')}not json\n{"tag":1}\n${record('TAG00002', 'x')}{"tag":"TAG0`,
    );
    const shown = '[10:20:30] [TAG00001] two lines red\n[10:20:30] [TAG00002] x\n';
    for (const name of [GONE, GONE.toLowerCase(), GONE.slice(0, 8)])
      expect(await machine.uwf(['log', 'show', name])).toMatchObject({ code: 0, stdout: shown });
    const { stdout } = await machine.uwf(['log', 'show', GONE, '--json']);
    expect(
      stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).tag),
    ).toEqual(['TAG00001', 'TAG00002']);
    const workers = join(machine.root, 'logs', 'workers');
    mkdirSync(workers, { recursive: true });
    writeFileSync(join(workers, 'definitions.log'), 'it said \u001b]0;t\u0007this');
    expect((await machine.uwf(['log', 'show', 'definitions'])).stdout).toBe('it said this\n');
  });

  it('says when there is no such log, and when a beginning is that of several', async () => {
    writeLog('01JZ0000000000000000000000', '');
    writeLog('01JZ0000000000000000000001', '');
    expect((await machine.uwf(['log', 'show', '01JZ00'])).stderr).toContain('more than one');
    expect((await machine.uwf(['log', 'show', '01KZ00'])).code).toBe(3);
    expect((await machine.uwf(['log', 'show', 'x'])).code).toBe(2);
    expect((await machine.uwf(['log', 'show', '../../etc/passwd'])).code).toBe(3);
  });

  it('follows a log as it grows and as it begins anew, until it is interrupted', async () => {
    const path = writeLog(GONE, record('TAG00001', 'first'));
    const child = spawn(process.execPath, [BIN, 'log', 'show', GONE, '--follow'], {
      env: machine.env,
    });
    let text = '';
    child.stdout.on('data', (chunk: Buffer) => {
      text += chunk.toString();
    });
    const closed = new Promise<number | null>((resolve) => child.on('close', resolve));
    await until('the first', () => text.includes('first'));
    const second = record('TAG00002', 'second');
    appendFileSync(path, second.slice(0, 20));
    appendFileSync(path, second.slice(20));
    await until('the second', () => text.includes('second'));
    writeFileSync(path, record('TAG00003', 'anew'));
    await until('the new one', () => text.includes('anew'));
    child.kill('SIGINT');
    expect(await closed).toBe(0);
    expect(text.match(/^\[10:20:30\]/gm)).toHaveLength(3);
  });

  it('removes old logs only, and never one of a thread that is not done or a worker that lives', async () => {
    const gate = join(machine.cwd, 'gate');
    const script = `while [ ! -e "${gate}" ]; do sleep 0.02; done`;
    const id = await start(
      machine,
      writeWorkflow(machine.cwd, 'gated', oneScript('gated', script)),
    );
    await untilOwned(machine, id);
    const running = writeLog(id, record('TAG00001', 'busy'));
    const old = writeLog(GONE, record('TAG00002', 'old'));
    const young = writeLog('01JZ0000000000000000000001', record('TAG00003', 'young'));
    const worker = join(machine.root, 'logs', 'workers', 'definitions.log');
    const dead = join(machine.root, 'logs', 'workers', '00000000000H0.log');
    writeFileSync(dead, 'of a worker that is gone');
    for (const path of [running, old, worker, dead]) age(path);

    const dry = await machine.uwf(['log', 'clean', '--older-than', '30d', '--dry-run']);
    expect(dry.stdout).toContain('would remove 2 logs');
    expect([running, old, young, worker, dead].every((path) => existsSync(path))).toBe(true);

    const cleaned = await machine.uwf(['log', 'clean']);
    expect(cleaned).toMatchObject({ code: 0, stderr: '' });
    expect(cleaned.stdout).toContain('removed 2 logs');
    expect(cleaned.stdout).toContain('kept 2 of threads and workers not done');
    expect([running, old, young, worker, dead].map((path) => existsSync(path))).toEqual([
      true,
      false,
      true,
      true,
      false,
    ]);
    writeFileSync(gate, '');
    await untilStatus(machine, id, 'completed');
    expect(await machine.json(['log', 'clean', '--older-than', '30d'])).toMatchObject({
      dryRun: false,
      removed: expect.arrayContaining([expect.objectContaining({ name: id })]),
    });
    expect((await machine.uwf(['log', 'clean', '--older-than', 'soon'])).code).toBe(2);
  });
});
