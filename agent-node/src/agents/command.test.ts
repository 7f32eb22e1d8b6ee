import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { callAgent, describeAgentContract, writeProgram } from './agent-contract.js';
import { createCommandAgent } from './command.js';
import type { CommandConfig } from './config.js';

let directory: string;
let temporary: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'uwf-command-test-'));
  temporary = join(directory, 'tmp');
  mkdirSync(temporary);
});
afterAll(() => {
  rmSync(directory, { recursive: true, force: true });
});

const options = { resolveSecret: () => null, killGraceMs: 100 };
const sh = (script: string, more: Partial<CommandConfig> = {}, args: string[] = []) =>
  createCommandAgent(
    'coder',
    { kind: 'command', command: ['/bin/sh', '-c', script, 'sh', ...args], ...more },
    options,
  );

describeAgentContract({
  kind: 'command',
  answering: (texts) => {
    const script = texts
      .map((text) => `printf %s '${text.replaceAll("'", `'\\''`)}'`)
      .join('; sleep 0.02; ');
    return sh(script);
  },
  running: (script) => sh(script),
});

describe('createCommandAgent', () => {
  beforeEach(() => void vi.stubEnv('TMPDIR', temporary));
  afterEach(() => void vi.unstubAllEnvs());

  const run = (agent: ReturnType<typeof sh>, prompt = 'the prompt') =>
    callAgent(agent, directory, { prompt });
  const answer = async (agent: ReturnType<typeof sh>, prompt?: string) => {
    const call = run(agent, prompt);
    await call.done;
    return call.output().toString();
  };

  it('gives the prompt by stdin unless told otherwise', async () => {
    expect(await answer(sh('cat'))).toBe('the prompt');
  });

  it('gives the prompt as an argument, in its place or at the end', async () => {
    expect(await answer(sh('echo "$#:$1"', { input: 'arg' }))).toBe('1:the prompt\n');
    expect(
      await answer(sh('echo "$#:$1:$2"', { input: 'arg' }, ['--p={prompt}', 'end']), `$& "it's"`),
    ).toBe(`2:--p=$& "it's":end\n`);
  });

  it('gives the prompt as a private file that is gone afterwards', async () => {
    const printing = 'stat -c %a "$1"; cat "$1"; printf %s "$1" >path';
    expect(await answer(sh(printing, { input: 'file' }))).toBe('600\nthe prompt');
    expect(
      await answer(
        sh('cat "${1#--file=}"; echo "$2"', { input: 'file' }, ['--file={file}', 'end']),
      ),
    ).toBe('the promptend\n');
    expect(readdirSync(temporary)).toEqual([]);
  });

  it.each([
    ['huge', 'x'.repeat(3_000_000)],
    ['with a NUL in it', 'a\0b'],
  ])('puts a prompt that is %s in a file and lets the argument say where', async (_, prompt) => {
    const script = `case $1 in *task*) ;; *) exit 9;; esac; file=$(expr "$1" : '[^/]*\\(/[^ ]*\\)'); wc -c < "$file"`;
    expect((await answer(sh(script, { input: 'arg' }), prompt)).trim()).toBe(String(prompt.length));
    expect(await answer(sh('wc -c', { input: 'stdin' }), prompt)).toContain(String(prompt.length));
    expect(readdirSync(temporary)).toEqual([]);
  });

  it('fails when the program does, with its exit code and the last lines it said', async () => {
    const call = run(sh('echo partial; for n in $(seq 1 30); do echo "line $n" >&2; done; exit 4'));
    await expect(call.done).rejects.toMatchObject({
      code: 'agent-failed',
      retryable: true,
      message: expect.stringMatching(/coder ended with exit code 4[\s\S]*line 21\n[\s\S]*line 30$/),
    });
    await expect(call.done).rejects.not.toMatchObject({
      message: expect.stringContaining('line 20'),
    });
    await expect(run(sh('kill -KILL $$')).done).rejects.toMatchObject({
      code: 'agent-failed',
      message: expect.stringContaining('SIGKILL'),
    });
  });

  it('fails when there is no answer, or nothing but blanks', async () => {
    await expect(run(sh('echo why >&2')).done).rejects.toMatchObject({
      code: 'answer-empty',
      message: expect.stringContaining('why'),
    });
    await expect(run(sh(`printf ' \\n\\t\\n'`)).done).rejects.toMatchObject({
      code: 'answer-empty',
    });
  });

  it('names a program that is not there', async () => {
    const agent = createCommandAgent(
      'coder',
      { kind: 'command', command: ['uwf-no-such-agent'] },
      options,
    );
    await expect(run(agent).done).rejects.toMatchObject({
      code: 'agent-not-found',
      message: expect.stringContaining('uwf-no-such-agent'),
    });
  });

  it('resolves secrets into the environment and masks them in what it prints, says and is quoted with', async () => {
    const secret = 's3cr3t-value';
    const agent = (script: string) =>
      createCommandAgent(
        'coder',
        {
          kind: 'command',
          command: ['/bin/sh', '-c', script],
          env: { KEY: 'env:MY_KEY', FILE: 'file:/k', MODE: 'plain' },
        },
        {
          ...options,
          resolveSecret: async (reference) =>
            reference === 'env:MY_KEY' ? secret : `of ${reference}`,
        },
      );
    const lengths = 'printf %s "$KEY" >key; echo "${#FILE},$MODE"';
    expect(await answer(agent(lengths))).toBe('10,plain\n');
    // What it writes itself is its own affair.
    expect(readFileSync(join(directory, 'key'), 'utf8')).toBe(secret);
    const call = run(agent('echo "$KEY,$FILE,$MODE"; echo "$KEY" >&2; printf %s "${KEY%e}"'));
    await call.done;
    expect(call.output().toString()).toBe(`***,***,plain\n${secret.slice(0, -1)}`);
    expect(call.noise().toString()).toBe('***\n');
    await expect(run(agent('echo "key is $KEY" >&2; exit 1')).done).rejects.toMatchObject({
      message: expect.stringMatching(/key is \*\*\*$/),
    });
    // The tail that is quoted begins inside the secret.
    const long = run(agent('printf %s "$KEY" >&2; printf %016380d 0 >&2; exit 1'));
    await expect(long.done).rejects.toMatchObject({
      message: expect.not.stringContaining('alue'),
    });
  });

  it('starts nothing when a secret cannot be resolved', async () => {
    const agent = sh('echo x > started', { env: { KEY: 'env:NOPE' } });
    await expect(run(agent).done).rejects.toMatchObject({
      code: 'secret-unresolved',
      message: expect.stringContaining('env:NOPE'),
    });
    expect(existsSync(join(directory, 'started'))).toBe(false);
  });

  it('runs a program by its path, with an argument list of its own', async () => {
    const path = writeProgram(directory, '#!/bin/sh\nprintf "%s|" "$@"; cat\n');
    const agent = createCommandAgent(
      'coder',
      { kind: 'command', command: [path, 'a b', '$HOME'] },
      options,
    );
    expect(await answer(agent)).toBe('a b|$HOME|the prompt');
  });
});
