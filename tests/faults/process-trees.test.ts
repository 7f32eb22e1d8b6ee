import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { faultCount } from '../support/fault-counts.js';
import { isAlive, processesWith } from '../support/processes.js';
import { type Service, startService } from '../support/service.js';
import { show, start, untilStatus } from '../support/threads.js';
import { until } from '../support/until.js';
import { createMachine, type Machine } from '../support/uwf.js';
import { oneScript, writeWorkflow } from '../support/workflows.js';

const UWF = fileURLToPath(new URL('../../agent-node/bin/uwf.js', import.meta.url));
const ROUNDS = faultCount({ reduced: 1, full: 10 });
const ROUND_MAX_MS = 90_000;

/** Forks, opens sessions of its own, ignores TERM, holds the pipes of its parent, is orphaned: each tells its pid. */
const TREE = `
  echo $$ >> PIDS
  sh -c 'echo $$ >> PIDS; sh -c "echo \\$\\$ >> PIDS; sleep 611; true"; true' &
  setsid sh -c 'echo $$ >> PIDS; sleep 612; true' &
  setsid sh -c 'trap "" TERM INT HUP; echo $$ >> PIDS; while true; do sleep 0.1; done' > /dev/null 2>&1 &
  (sh -c 'echo $$ >> PIDS; exec sleep 613' &)
  trap '' TERM
  while true; do sleep 0.1; done`;
const TREE_SIZE = 6;

type Tree = { id: string; pids: number[]; owner: number };

describe('what an agent has started', () => {
  let machine: Machine;
  let services: Service[];
  beforeEach(() => {
    machine = createMachine();
    services = [];
  });
  afterEach(async () => {
    for (const service of services) await service.kill();
    await machine.dispose();
  });

  const workflow = (name: string) =>
    writeWorkflow(
      machine.cwd,
      name,
      oneScript(name, TREE.replaceAll('PIDS', join(machine.cwd, `${name}.pids`))),
    );

  async function grown(name: string, id: string): Promise<Tree> {
    const file = join(machine.cwd, `${name}.pids`);
    const pids = await until(`${TREE_SIZE} processes of ${name}`, () => {
      const found = existsSync(file)
        ? readFileSync(file, 'utf8').trim().split('\n').map(Number)
        : [];
      return found.length === TREE_SIZE && found.every(isAlive) && found;
    });
    const { owner } = await show(machine, id);
    return { id, pids, owner: owner!.pid };
  }

  const grow = async (name: string) => grown(name, await start(machine, workflow(name)));

  const service = (...args: string[]): Service => {
    const started = startService(UWF, args, { cwd: machine.cwd, env: machine.env });
    services.push(started);
    return started;
  };

  /** A command that waits for the thread it starts. */
  async function growBy(name: string, ...args: string[]): Promise<{ tree: Tree; by: Service }> {
    const by = service('run', workflow(name), ...args);
    const id = await until('the id is said', () => /^[0-9A-Z]{26}$/m.exec(by.output.stdout)?.[0]);
    return { tree: await grown(name, id), by };
  }

  async function expectKillLeavesNothing({ id, pids }: Tree): Promise<void> {
    expect(await machine.uwf(['thread', 'kill', id])).toMatchObject({ code: 0, stderr: '' });
    expect(pids.filter(isAlive)).toEqual([]);
    expect(processesWith(`UWF_STEP=${id}`)).toEqual([]);
    expect(await show(machine, id)).toMatchObject({ status: 'cancelled', returnCode: 130 });
  }

  for (let round = 1; round <= ROUNDS; round++) {
    const of = ROUNDS === 1 ? '' : ` (${round})`;

    it(
      `goes with its thread when that is killed${of}`,
      async () => {
        await expectKillLeavesNothing(await grow('killed'));
      },
      ROUND_MAX_MS,
    );

    it(
      `goes with the worker's TERM, which leaves the thread interrupted${of}`,
      async () => {
        const { id, pids, owner } = await grow('worker-term');
        process.kill(owner, 'SIGTERM');
        await untilStatus(machine, id, 'interrupted');
        expect(pids.filter(isAlive)).toEqual([]);
      },
      ROUND_MAX_MS,
    );

    it(
      `outlives the worker's SIGKILL only until somebody kills or resumes the thread${of}`,
      async () => {
        const tree = await grow('worker-kill');
        process.kill(tree.owner, 'SIGKILL');
        await untilStatus(machine, tree.id, 'interrupted');
        await expectKillLeavesNothing(tree);
      },
      ROUND_MAX_MS,
    );

    it.each(['SIGINT', 'SIGTERM', 'SIGKILL'] as const)(
      `stays with its thread when the command that waits for it gets %s${of}`,
      async (signal) => {
        const { tree, by } = await growBy('waited', '--wait');
        by.signal(signal);
        await until('the command has ended', () => by.exitCode() !== null);
        if (signal === 'SIGINT') {
          expect(by.exitCode()).toBe(0);
          expect(by.output.stderr + by.output.stdout).toContain(tree.id);
        }
        expect(tree.pids.every(isAlive)).toBe(true);
        expect((await show(machine, tree.id)).status).toBe('running');
        await expectKillLeavesNothing(tree);
      },
      ROUND_MAX_MS,
    );

    it.each(['SIGINT', 'SIGTERM', 'SIGKILL'] as const)(
      `stays with its thread when the service beside it gets %s${of}`,
      async (signal) => {
        const serve = service('serve', '--port', '0');
        await until('it serves', () => /http:\/\/127\.0\.0\.1:\d+/.exec(serve.output.stdout));
        const tree = await grow('served');
        serve.signal(signal);
        await until('the service has ended', () => serve.exitCode() !== null);
        expect(tree.pids.every(isAlive)).toBe(true);
        await expectKillLeavesNothing(tree);
      },
      ROUND_MAX_MS,
    );
  }
});
