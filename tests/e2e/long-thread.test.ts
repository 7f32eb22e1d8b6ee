import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { start, untilStatus } from '../support/threads.js';
import { createMachine, type Machine } from '../support/uwf.js';
import { writeWorkflow } from '../support/workflows.js';

const STEPS = 400;
const STEP_BYTES = 5_000;
const LONG_MS = 180_000;

let machine: Machine;
beforeEach(() => {
  machine = createMachine();
});
afterEach(() => machine.dispose());

/** One role that says 5 kB, each time something else, until it has been asked so often. */
async function run(steps: number): Promise<void> {
  const name = `says-${steps}`;
  const counter = join(machine.cwd, name);
  const script = [
    `echo x >> "${counter}"; n=$(wc -l < "${counter}")`,
    `printf '%0${STEP_BYTES}d\\n' $n; [ $n -lt ${steps} ] && s=more || s=ok`,
    `printf '{"$status":"%s","n":"${name} %s"}\\n' $s $n`,
  ].join('\n');
  const file = writeWorkflow(
    machine.cwd,
    name,
    JSON.stringify({
      name,
      roles: { work: { description: 'says much', run: script } },
      graph: {
        $START: { _: { role: 'work', prompt: 'work' } },
        work: { more: { role: 'work', prompt: 'more' }, ok: { role: '$END', prompt: 'done' } },
      },
    }),
  );
  const id = await start(machine, file, '--max-steps', String(steps));
  expect(await untilStatus(machine, id, 'completed', 'failed', 'paused')).toMatchObject({
    status: 'completed',
    stepCount: steps,
  });
}

async function storedBytes(): Promise<number> {
  const { items } = await machine.json<{ items: { size: number }[] }>(['cas', 'list']);
  return items.reduce((sum, { size }) => sum + size, 0);
}

it(
  `twice as many steps take twice as much room, up to ${STEPS} of ${STEP_BYTES} bytes`,
  async () => {
    await run(STEPS / 2);
    const half = await storedBytes();
    await run(STEPS);
    const whole = (await storedBytes()) - half;
    expect(whole / half).toBeGreaterThan(1.9);
    expect(whole / half).toBeLessThan(2.1);
    expect(whole / STEPS).toBeLessThan(STEP_BYTES + 1_500);
  },
  LONG_MS,
);
