import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { isProcessDead, monotonicMs, processIdentity, processStartOf } from './identity.js';

const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});
function start(program: string, argv: string[]) {
  const child = spawn(program, argv, { stdio: 'ignore' });
  children.push(child);
  return { child, pid: child.pid ?? 0 };
}

describe('processIdentity', () => {
  it('stays the same while the process lives and is dead when it is gone', async () => {
    const { child, pid } = start('sleep', ['300']);
    const identity = processIdentity(pid);
    expect(identity).toEqual(processIdentity(pid));
    expect(identity).toMatchObject({ pid, processStart: processStartOf(pid) });
    if (identity === null) return;
    expect(isProcessDead(identity)).toBe(false);
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(isProcessDead(identity)).toBe(true);
    expect(processIdentity(pid)).toBeNull();
  });

  it('takes another start time and another boot for another process', () => {
    const own = processIdentity(process.pid);
    if (own === null) throw new Error('this process is not listed');
    expect(isProcessDead(own)).toBe(false);
    expect(isProcessDead({ ...own, processStart: `${own.processStart}1` })).toBe(true);
    expect(isProcessDead({ ...own, bootId: 'another' })).toBe(true);
  });

  it('takes a zombie for dead', async () => {
    // The shell becomes a program that never looks after the child it inherits.
    const { pid } = start('/bin/sh', ['-c', 'sleep 0.05 & exec sleep 300']);
    const { readChildren, readProcess } = await import('./process-table.js');
    const zombie = await vi.waitFor(() => {
      const [child] = readChildren(pid);
      if (child === undefined || readProcess(child)?.ended !== true)
        throw new Error('no zombie yet');
      return child;
    }, 30_000);
    expect(processIdentity(zombie)).toBeNull();
    expect(processStartOf(zombie)).not.toBeNull();
  });

  it('knows no process under numbers nobody has', () => {
    expect(processIdentity(2 ** 22 + 1)).toBeNull();
  });
});

describe('monotonicMs', () => {
  it('is an integer that does not go back', () => {
    const first = monotonicMs();
    expect(Number.isInteger(first)).toBe(true);
    expect(monotonicMs()).toBeGreaterThanOrEqual(first);
  });
});
