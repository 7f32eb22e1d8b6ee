import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isAlive } from '../support/processes.js';
import { type Service, startService, untilSaid } from '../support/service.js';
import { startChain, untilOwned, untilStatus } from '../support/threads.js';
import { until } from '../support/until.js';
import { createMachine, type Machine } from '../support/uwf.js';
import { oneScript, writeWorkflow } from '../support/workflows.js';

const UWF = fileURLToPath(new URL('../../agent-node/bin/uwf.js', import.meta.url));

describe('uwf serve', () => {
  let machine: Machine;
  let gate: string;
  let services: Service[];
  beforeEach(() => {
    machine = createMachine();
    gate = join(machine.cwd, 'gate');
    services = [];
  });
  afterEach(async () => {
    for (const service of services) await service.stop();
    await machine.dispose();
  });

  function serve(...args: string[]): Service {
    const service = startService(UWF, ['serve', '--port', '0', ...args], {
      cwd: machine.cwd,
      env: machine.env,
    });
    services.push(service);
    return service;
  }

  async function urlOf(service: Service): Promise<string> {
    const [, url] = await untilSaid(service, 'stdout', /^(http:\/\/127\.0\.0\.1:\d+)\n/);
    return url!;
  }

  const token = () => readFileSync(join(machine.root, 'serve.token'), 'utf8').trim();
  const ask = (url: string, path: string, body?: unknown) =>
    fetch(`${url}${path}`, {
      headers: { authorization: `Bearer ${token()}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
    });
  /** A chain whose second step waits until the gate is open. */
  const startGated = () =>
    startChain(machine, 'gated', 3, (n) =>
      n === 2 ? `while [ ! -e "${gate}" ]; do sleep 0.02; done` : 'true',
    );

  it('says where it is, runs a thread that is asked for, and never says its token', async () => {
    const service = serve('--name', 'build-1');
    const url = await urlOf(service);
    const [said] = await untilSaid(service, 'stdout', /\n.*\n$/);
    expect(`${url}${said}`).toBe(`${url}\ntoken file: ${machine.root}/serve.token\n`);
    const started = await ask(url, '/api/threads', { workflow: 'demo', prompt: 'look' });
    expect(started.status).toBe(201);
    const { threadId, node } = (await started.json()) as { threadId: string; node: string };
    expect(node).toBe('build-1');
    const events = await (await ask(url, `/api/threads/${threadId}/events`)).text();
    expect(events).toMatch(/event: done\n.*"completed"/);
    expect(await service.stop()).toBe(0);
    expect(service.output.stderr).toMatch(/\nstopped\n$/);
    expect(service.output.stdout + service.output.stderr).not.toContain(token());
  });

  it('makes a directory that is no part of the repository that its store lies in', async () => {
    execFileSync('git', ['init', '-q', machine.cwd]);
    const url = await urlOf(serve());
    const started = await ask(url, '/api/threads', { workflow: 'demo' });
    const { threadId } = (await started.json()) as { threadId: string };
    const { steps } = await untilStatus(machine, threadId, 'completed');
    expect(steps.map(({ role, meta }) => `${role} ${meta?.$status}`)).toEqual([
      'survey not-a-repository',
      'report nothing',
    ]);
  });

  it('keeps the tokens of services from what its threads run', async () => {
    machine.env.UWF_SERVE_TOKEN = 'a-token-for-this-test';
    machine.env.UWF_NODE_TOKEN = 'another-token-for-this-test';
    machine.env.WORKFLOW_DASHBOARD_SECRET = 'a-key-for-this-test';
    const service = serve();
    const url = await urlOf(service);
    await untilSaid(service, 'stdout', /token: that of UWF_SERVE_TOKEN\n$/);
    const seen = join(machine.cwd, 'seen');
    const file = writeWorkflow(machine.cwd, 'env', oneScript('env', `env > '${seen}'`));
    await machine.uwf(['workflow', 'add', file]);
    const started = await fetch(`${url}/api/threads`, {
      method: 'POST',
      headers: {
        authorization: 'Bearer a-token-for-this-test',
        'content-type': 'application/json',
      },
      body: JSON.stringify({ workflow: 'env' }),
    });
    const { threadId } = (await started.json()) as { threadId: string };
    await untilStatus(machine, threadId, 'completed');
    expect(readFileSync(seen, 'utf8')).toContain('PATH=');
    expect(readFileSync(seen, 'utf8')).not.toContain('-for-this-test');
  });

  it('prints one document with --json', async () => {
    const service = serve('--json');
    await untilSaid(service, 'stdout', /\}\n$/);
    expect(JSON.parse(service.output.stdout)).toEqual({
      url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      tokenFile: join(machine.root, 'serve.token'),
    });
  });

  it('says what is wrong with what it was given, with the exit code for it', async () => {
    const url = await urlOf(serve());
    const { port } = new URL(url);
    for (const [args, code, text] of [
      [['--port', port], 4, `127.0.0.1:${port}`],
      [['--port', '65536'], 2, '65536'],
      [['--port', '-1'], 2, '-1'],
      [['--port', 'http'], 2, 'http'],
      [['--port', '0', '--name', 'Not A Name'], 2, 'Not A Name'],
      [['--port', '0', '--host', '192.0.2.1'], 2, '192.0.2.1'],
    ] as const) {
      const result = await machine.uwf(['serve', ...args]);
      expect(`${args.join(' ')}: ${result.code}`).toBe(`${args.join(' ')}: ${code}`);
      expect(result.stderr).toContain(text);
      expect(result.stdout).toBe('');
    }
  });

  it.each(['SIGTERM', 'SIGINT'] as const)(
    'ends on %s though streams are open, and threads go on without it',
    async (signal) => {
      const service = serve();
      const url = await urlOf(service);
      const id = await startGated();
      const worker = await untilOwned(machine, id);
      const following = await Promise.all(
        ['/api/events', `/api/threads/${id}/events`].map((path) => ask(url, path)),
      );
      service.signal(signal);
      await until('it ends', () => service.exitCode() !== null);
      expect(service.exitCode()).toBe(0);
      await Promise.all(following.map((response) => response.text()));
      expect(service.output.stderr).toMatch(/stopped; 1 thread goes on without it/);
      expect(isAlive(worker)).toBe(true);
      writeFileSync(gate, '');
      await untilStatus(machine, id, 'completed');
    },
  );

  it('resumes at once what a killed worker leaves behind, with a second server beside it', async () => {
    const [first, second] = [serve(), serve()];
    await urlOf(first);
    await urlOf(second);
    const id = await startGated();
    const worker = await untilOwned(machine, id);
    process.kill(worker, 'SIGKILL');
    writeFileSync(gate, '');
    const done = await untilStatus(machine, id, 'completed');
    expect(done.steps.at(-1)).toMatchObject({ seq: 3, status: 'committed' });
    const said = first.output.stderr + second.output.stderr;
    expect(said.match(/was interrupted and goes on/g)).toHaveLength(1);
  });

  it('resumes at its start what was interrupted while nobody served', async () => {
    const id = await startGated();
    process.kill(await untilOwned(machine, id), 'SIGKILL');
    await untilStatus(machine, id, 'interrupted');
    writeFileSync(gate, '');
    await urlOf(serve());
    await untilStatus(machine, id, 'completed');
  });

  it('ends with what it found when its root is removed', async () => {
    const service = serve();
    await urlOf(service);
    rmSync(machine.root, { recursive: true });
    await until('it ends', () => service.exitCode() !== null);
    expect(service.exitCode()).toBe(1);
    expect(service.output.stderr).toContain(`The store of ${machine.root} was removed`);
  });
});
