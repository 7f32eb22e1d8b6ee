import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createThreadId } from '@uncaged/protocol/ids';
import { Problem } from '@uncaged/protocol/problem';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Agent, AgentTask, AgentTrace } from './types.js';

/** What the contract needs to know of one kind of agent. */
export type AgentUnderTest = {
  kind: string;
  /** An agent that answers these texts, in as many writes where it can. */
  answering: (texts: readonly string[]) => Agent;
  /** An agent that is this shell script; null for kinds without a process. */
  running: ((script: string) => Agent) | null;
  /** An agent that did this; left out for kinds that tell nothing of what they do. */
  tracing?: (trace: AgentTrace) => Agent;
};

const CALL = { name: 'read', arguments: '{"path":"a"}', result: 'text', durationMs: 3 };
const USAGE = { input: 5, cacheRead: 1, cacheWrite: 2, output: 7 };
const TURN = {
  input: 'look',
  output: 'looked',
  reasoning: 'hm',
  toolCalls: [CALL, { ...CALL, name: 'write', arguments: null, result: null, durationMs: null }],
  usage: USAGE,
  latencyMs: 12,
};

/** The promises every agent keeps (`AgentTask`, `Agent`); call it in a test file, once per kind. */
export function describeAgentContract(subject: AgentUnderTest): void {
  describe(`agent of kind ${subject.kind}`, () => {
    let workspace: string;
    beforeEach(() => {
      workspace = mkdtempSync(join(tmpdir(), 'uwf-agent-test-'));
    });
    afterEach(() => {
      vi.unstubAllEnvs();
      rmSync(workspace, { recursive: true, force: true });
    });

    const call = (agent: Agent, more: Partial<AgentTask> = {}) => callAgent(agent, workspace, more);
    const isAlive = (name: string) => isProcessAlive(pidIn(join(workspace, name)));

    it('tells its kind', () => {
      expect(subject.answering(['x']).kind).toBe(subject.kind);
    });

    it('hands on the answer whole', async () => {
      const run = call(subject.answering(['---\n$status: ok\n---\nfälle 🙂\n']));
      expect(await run.done).toMatchObject({ usage: null, sessionId: null });
      expect(run.output().toString()).toBe('---\n$status: ok\n---\nfälle 🙂\n');
    });

    it('does nothing when it is aborted before the start, and gives the reason', async () => {
      const reason = new Problem('timeout', 'took too long');
      const run = call(subject.answering(['x']), { signal: AbortSignal.abort(reason) });
      await expect(run.done).rejects.toBe(reason);
      expect(run.output()).toHaveLength(0);
    });

    it('fails with a Problem also when the abort had another reason', async () => {
      const run = call(subject.answering(['x']), { signal: AbortSignal.abort() });
      await expect(run.done).rejects.toMatchObject({ name: 'Problem', code: 'cancelled' });
    });

    it('ends with what the receiver of the output throws', async () => {
      const reason = new Problem('output-too-large', 'enough');
      const run = call(subject.answering(['x']), {
        onOutput: () => {
          throw reason;
        },
      });
      await expect(run.done).rejects.toBe(reason);
    });

    const { running, tracing } = subject;
    if (tracing === undefined)
      it('says that it tells nothing of what it did', async () => {
        expect((await call(subject.answering(['x'])).done).trace).toBeNull();
      });
    else {
      it('tells its turns and their tool calls, in order and whole', async () => {
        const silent = { ...TURN, input: null, output: null, reasoning: null, toolCalls: [] };
        const trace = {
          turns: [TURN, { ...silent, usage: null, latencyMs: null }],
          durationMs: 20,
        };
        expect((await call(tracing(trace)).done).trace).toEqual(trace);
        expect((await call(tracing({ turns: [], durationMs: null })).done).trace).toEqual({
          turns: [],
          durationMs: null,
        });
      });

      it('tells only what can be stored: half a character is replaced', async () => {
        const cut = { ...TURN, output: 'a\ud83d', toolCalls: [{ ...CALL, result: '\udc00' }] };
        const { trace } = await call(tracing({ turns: [cut], durationMs: null })).done;
        expect(trace?.turns[0]).toMatchObject({
          output: 'a\ufffd',
          toolCalls: [{ result: '\ufffd' }],
        });
      });
    }

    if (running === null) return;

    it('hands on the bytes of a character that is cut between two writes', async () => {
      const run = call(running(`printf '\\303'; sleep 0.05; printf '\\244'`));
      await run.done;
      expect(run.output().toString()).toBe('ä');
    });

    it('hands on NULs and invalid UTF-8 as they are', async () => {
      const run = call(running(`printf 'a\\000\\377\\376b'`));
      await run.done;
      expect([...run.output()]).toEqual([97, 0, 0xff, 0xfe, 98]);
    });

    it('hands on 50 MB', async () => {
      let size = 0;
      const run = call(running('head -c 50000000 /dev/zero; printf end'), {
        onOutput: (chunk) => {
          size += chunk.length;
        },
      });
      await run.done;
      expect(size).toBe(50_000_003);
    });

    it('keeps stderr apart from the answer', async () => {
      const run = call(running('echo answer; echo noise >&2'));
      await run.done;
      expect(run.output().toString()).toBe('answer\n');
      expect(run.noise().toString()).toBe('noise\n');
    });

    it('works in the workspace, with the variables of the task and its marker, in a group it tells of', async () => {
      const groups: { pgid: number; processStart: string }[] = [];
      const run = call(running(`pwd -P; echo "$UWF_TEST $UWF_STEP"`), {
        env: { UWF_TEST: 'value' },
        onProcess: (group) => groups.push(group),
      });
      await run.done;
      expect(run.output().toString()).toBe(
        `${workspace}\nvalue ${run.task.thread}/${run.task.seq}/${run.task.attempt}\n`,
      );
      expect(groups).toHaveLength(1);
    });

    it('leaves no process at an abort, not even in another session, ignoring TERM, or below a dead parent', async () => {
      const abort = new AbortController();
      const run = call(
        running(`trap '' TERM
          sleep 300 & echo $! > child
          setsid sh -c 'trap "" TERM; echo $$ > session; while :; do sleep 1; done' &
          (sh -c 'echo $$ > orphan; exec sleep 300' &)
          while :; do sleep 1; done`),
        { signal: abort.signal },
      );
      const names = ['child', 'session', 'orphan'];
      await vi.waitFor(() => expect(names.every(isAlive)).toBe(true), {
        timeout: 5_000,
        interval: 10,
      });
      const reason = new Problem('cancelled', 'killed');
      abort.abort(reason);
      await expect(run.done).rejects.toBe(reason);
      expect(names.filter(isAlive)).toEqual([]);
    });

    it('stops a program whose output nobody wants', async () => {
      const reason = new Problem('output-too-large', 'enough');
      const run = call(running('echo $$ > leader; yes'), {
        onOutput: () => {
          throw reason;
        },
      });
      await expect(run.done).rejects.toBe(reason);
      expect(isAlive('leader')).toBe(false);
    });

    it('ends what the program left in the background', async () => {
      const run = call(running('sleep 300 & echo $! > child; echo answer'));
      await run.done;
      expect(run.output().toString()).toBe('answer\n');
      expect(isAlive('child')).toBe(false);
    });

    it('reports the failure of the one who records its process, and ends it', async () => {
      const reason = new Problem('disk-full', 'no space');
      const run = call(running('echo $$ > leader; sleep 300'), {
        onProcess: () => {
          throw reason;
        },
      });
      await expect(run.done).rejects.toBe(reason);
    });

    it('says when the workspace is gone', async () => {
      const run = call(running('echo x'), { workspace: join(workspace, 'gone') });
      await expect(run.done).rejects.toMatchObject({ code: 'invalid-workspace' });
    });

    it('keeps nothing: no descriptor, no timer, no temporary file', async () => {
      const temporary = join(workspace, 'tmp');
      mkdirSync(temporary);
      vi.stubEnv('TMPDIR', temporary);
      const held = () =>
        process.getActiveResourcesInfo().filter((name) => /Pipe|Process|Timeout|FSReq/.test(name))
          .length;
      await call(running('echo x')).done;
      await nextTurn();
      const before = held();
      for (let round = 0; round < 3; round++)
        await call(running('cat >/dev/null; echo x; echo y >&2')).done;
      for (let turns = 0; held() > before && turns < TURNS_MAX; turns++) await nextTurn();
      expect(held()).toBeLessThanOrEqual(before);
      expect(readdirSync(temporary)).toEqual([]);
    });
  });
}

/** Turns of the event loop in which handles that are being closed are gone. */
const TURNS_MAX = 1_000;

/** Runs an agent on a made-up task and collects what it hands on. */
export function callAgent(agent: Agent, workspace: string, more: Partial<AgentTask> = {}) {
  const output: Buffer[] = [];
  const noise: Buffer[] = [];
  const logs: string[] = [];
  const task: AgentTask = {
    thread: createThreadId(Date.now()),
    seq: 1,
    attempt: 1,
    role: 'worker',
    visit: 0,
    prompt: 'the prompt',
    workspace,
    env: {},
    sessionId: null,
    signal: new AbortController().signal,
    onOutput: (chunk) => void output.push(Buffer.from(chunk)),
    onNoise: (chunk) => void noise.push(Buffer.from(chunk)),
    onProcess: () => undefined,
    log: (_, message) => void logs.push(message),
    ...more,
  };
  return {
    task,
    done: agent.run(task),
    output: () => Buffer.concat(output),
    noise: () => Buffer.concat(noise),
    logs,
  };
}

/** Writes an executable file and gives its path. */
export function writeProgram(directory: string, text: string): string {
  const path = join(directory, `program-${randomUUID()}`);
  writeFileSync(path, text, { mode: 0o755 });
  return path;
}

function pidIn(file: string): number | null {
  try {
    return Number(readFileSync(file, 'utf8').trim()) || null;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

function isProcessAlive(pid: number | null): boolean {
  if (pid === null) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
    throw error;
  }
  // Signals reach a zombie too; it runs no more.
  return process.platform !== 'linux' || !/^State:\s*[ZX]/m.test(statusOf(pid));
}

function statusOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/status`, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ESRCH') return 'State: X';
    throw error;
  }
}
