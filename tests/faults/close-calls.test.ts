import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createNodeClient } from '@uncaged/protocol/api';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { faultCount } from '../support/fault-counts.js';
import { startService, untilSaid } from '../support/service.js';
import { show, start, startChain, untilStatus } from '../support/threads.js';
import { until } from '../support/until.js';
import { createMachine, type Machine } from '../support/uwf.js';
import { chain, oneScript, writeWorkflow } from '../support/workflows.js';

const UWF = fileURLToPath(new URL('../../agent-node/bin/uwf.js', import.meta.url));

const PAUSES = 20;
/** From the pause until the answer, ms. */
const BEFORE_ANSWER_MS = 50;
const EARLY_KILLS = faultCount({ reduced: 3, full: 30 });
const EARLY_KILL_WITHIN_MS = 100;
const EARLY_KILL_MAX_MS = 30_000;

describe('close calls', () => {
  let machine: Machine;
  beforeEach(() => {
    machine = createMachine();
  });
  afterEach(() => machine.dispose());

  it(`a pause shortly before the answer of the agent, ${PAUSES} times: the answer is stored, everybody says the same, and it goes on`, async () => {
    const mark = join(machine.cwd, 'mark');
    // The agent answers so long after it has seen that the pause was asked for.
    const id = await startChain(
      machine,
      'paused',
      PAUSES,
      (n) =>
        `echo > "${mark}-${n}.begun"; while [ ! -e "${mark}-${n}.pause" ]; do sleep 0.01; done; sleep 0.0${BEFORE_ANSWER_MS}; echo '{"$status":"ok","n":${n}}'`,
    );
    const served = startService(UWF, ['serve', '--port', '0'], {
      cwd: machine.cwd,
      env: machine.env,
    });
    try {
      const [, url] = await untilSaid(served, 'stdout', /^(http:\/\/127\.0\.0\.1:\d+)\n/);
      const token = readFileSync(join(machine.root, 'serve.token'), 'utf8').trim();
      const node = createNodeClient({ baseUrl: url, token });
      const params = { id };
      for (let n = 1; n <= PAUSES; n++) {
        await until(`agent ${n} is at work`, () => existsSync(`${mark}-${n}.begun`));
        expect(await node.pauseThread({ params })).toMatchObject({ desired: 'pause' });
        writeFileSync(`${mark}-${n}.pause`, '');
        const thread = await until('it is paused', async () => {
          const now = await node.getThread({ params });
          return now.status === 'paused' && now;
        });
        expect(thread).toMatchObject({ reason: 'user', stepCount: n });
        const { items } = await node.listThreads();
        expect(items).toMatchObject([{ threadId: id, status: 'paused', stepCount: n }]);
        const steps = (await node.listThreadSteps({ params })).items;
        expect(
          steps.map(({ seq, attempt, status, meta }) => [seq, attempt, status, meta?.n]),
        ).toEqual(Array.from({ length: n }, (_, index) => [index + 1, 1, 'committed', index + 1]));
        expect(await node.resumeThread({ params })).toMatchObject({ desired: 'run' });
      }
      await untilStatus(machine, id, 'completed');
    } finally {
      await served.stop();
    }
  }, 120_000);

  it('a pause at the very end of a step is obeyed before the next, however seldom the worker looks', async () => {
    const rarely = createMachine({ observeEveryMs: 20_000 });
    try {
      const id = await startChain(
        rarely,
        'last-moment',
        3,
        () => `"${process.execPath}" "${UWF}" thread pause "\${UWF_STEP%%/*}"`,
      );
      for (const done of [1, 2]) {
        const { stepCount, steps } = await untilStatus(rarely, id, 'paused');
        expect([stepCount, steps.length]).toEqual([done, done]);
        expect(await rarely.uwf(['thread', 'resume', id])).toMatchObject({ code: 0 });
      }
    } finally {
      await rarely.dispose();
    }
  });

  it(
    `a kill within ${EARLY_KILL_WITHIN_MS} ms of the start, ${EARLY_KILLS} times: the thread is listed, and goes on from its first step`,
    async () => {
      for (let round = 1; round <= EARLY_KILLS; round++) {
        const runs = join(machine.cwd, `runs-${round}`);
        const gate = join(machine.cwd, `gate-${round}`);
        // No step ends before the kill is over, however long the kill takes to arrive.
        const file = writeWorkflow(
          machine.cwd,
          `early-${round}`,
          chain(
            `early-${round}`,
            3,
            (n) => `echo ${n} >> "${runs}"; while [ ! -e "${gate}" ]; do sleep 0.01; done`,
          ),
        );
        const command = startService(UWF, ['run', file, '--wait'], {
          cwd: machine.cwd,
          env: machine.env,
        });
        const id = await until(
          'the id is said',
          () => /^[0-9A-Z]{26}$/m.exec(command.output.stdout)?.[0],
        );
        await sleep(Math.random() * EARLY_KILL_WITHIN_MS);
        const { owner } = await show(machine, id);
        await command.kill();
        if (owner !== null) process.kill(owner.pid, 'SIGKILL');
        writeFileSync(gate, '');
        const { items } = await machine.json<{ items: { threadId: string }[] }>(['thread', 'list']);
        expect(items.map(({ threadId }) => threadId)).toContain(id);
        // One that had no owner yet is still about to get one: then nothing was interrupted.
        const thread = await untilStatus(machine, id, 'interrupted', 'completed');
        if (thread.status === 'interrupted') {
          expect(thread.stepCount).toBe(0);
          expect(await machine.uwf(['thread', 'resume', id])).toMatchObject({ code: 0 });
        }
        const done = await untilStatus(machine, id, 'completed');
        expect(
          done.steps.filter(({ status }) => status === 'committed').map(({ seq }) => seq),
        ).toEqual([1, 2, 3]);
        expect(readFileSync(runs, 'utf8').trim().split('\n').at(-1)).toBe('3');
      }
    },
    EARLY_KILLS * EARLY_KILL_MAX_MS,
  );

  it('a delete of a running thread is refused, and it runs on', async () => {
    const id = await start(
      machine,
      writeWorkflow(machine.cwd, 'held', oneScript('held', 'sleep 600')),
    );
    await untilStatus(machine, id, 'running');
    const refused = await machine.uwf(['thread', 'rm', id]);
    expect(refused.code).toBe(4);
    expect((await show(machine, id)).status).toBe('running');
  });
});
