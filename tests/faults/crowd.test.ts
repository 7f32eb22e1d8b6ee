import { statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { faultCount } from '../support/fault-counts.js';
import { type Service, startService } from '../support/service.js';
import { start, untilStatus } from '../support/threads.js';
import { until } from '../support/until.js';
import { createMachine, type Machine } from '../support/uwf.js';
import { chain, writeWorkflow } from '../support/workflows.js';

const UWF = fileURLToPath(new URL('../../agent-node/bin/uwf.js', import.meta.url));
const ROUNDS = faultCount({ reduced: 1, full: 10 });
const ROUND_MAX_MS = 120_000;
const STARTS = 20;
const READERS = 6;
/** Far above what 20 threads of three steps write; the WAL has its cap at 8 MiB. */
const WAL_MAX_BYTES = 32 * 1024 * 1024;

describe('a crowd on one store', () => {
  let machine: Machine;
  let services: Service[];
  beforeEach(() => {
    machine = createMachine();
    services = [];
  });
  afterEach(async () => {
    for (const service of services) {
      service.signal('SIGCONT');
      await service.kill();
    }
    await machine.dispose();
  });

  const service = (...args: string[]): Service => {
    const started = startService(UWF, args, { cwd: machine.cwd, env: machine.env });
    services.push(started);
    return started;
  };

  it(
    `of ${STARTS} starts at once, readers, and readers that are stopped: all succeed and nobody sees a lock`,
    async () => {
      const file = writeWorkflow(
        machine.cwd,
        'three',
        chain('three', 3, () => 'true'),
      );
      const gate = join(machine.cwd, 'never');
      const waits = `while [ ! -e "${gate}" ]; do sleep 0.05; done`;
      const held = await start(
        machine,
        writeWorkflow(
          machine.cwd,
          'held',
          chain('held', 1, () => waits),
        ),
      );
      const serve = service('serve', '--port', '0');
      await until('it serves', () => /http:\/\/127\.0\.0\.1:\d+/.exec(serve.output.stdout));
      const live = service('live', held);
      await until('it watches', () => (live.output.stdout + live.output.stderr).length > 0);
      for (let round = 1; round <= ROUNDS; round++) {
        const running = Array.from({ length: STARTS }, () => machine.uwf(['run', file]));
        for (const reader of [serve, live]) reader.signal('SIGSTOP');
        const reading = Array.from({ length: READERS }, (_, index) =>
          machine.uwf(index % 2 === 0 ? ['thread', 'list', '--json'] : ['thread', 'show', held]),
        );
        const results = await Promise.all([...running, ...reading]);
        for (const { code, stderr } of results) {
          expect(stderr).not.toMatch(/locked|busy/i);
          expect(code).toBe(0);
        }
        for (const { stdout } of results.slice(0, STARTS))
          await untilStatus(machine, stdout.trim(), 'completed');
        expect(statSync(join(machine.root, 'store.db-wal')).size).toBeLessThan(WAL_MAX_BYTES);
        for (const reader of [serve, live]) {
          reader.signal('SIGCONT');
          expect(reader.exitCode()).toBeNull();
        }
      }
    },
    ROUNDS * ROUND_MAX_MS,
  );
});
