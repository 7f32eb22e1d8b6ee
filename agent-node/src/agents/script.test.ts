import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { callAgent, describeAgentContract } from './agent-contract.js';
import { createScriptAgent } from './script.js';

const options = { killGraceMs: 100 };
const printing = (texts: readonly string[]) =>
  texts.map((text) => `printf %s '${text.replaceAll("'", `'\\''`)}'`).join('; sleep 0.02; ');

describeAgentContract({
  kind: 'run',
  answering: (texts) => createScriptAgent(printing(texts), options),
  running: (script) => createScriptAgent(script, options),
});

describe('createScriptAgent', () => {
  let workspace: string;
  beforeEach(() => {
    workspace = mkdtempSync(join(tmpdir(), 'uwf-script-test-'));
  });
  afterEach(() => rmSync(workspace, { recursive: true, force: true }));
  const run = (script: string, prompt = '') =>
    callAgent(createScriptAgent(script, options), workspace, { prompt });

  it('gives the script its task on stdin', async () => {
    const call = run('cat', 'The task\n');
    await call.done;
    expect(call.output().toString()).toBe('The task\n');
  });

  it('gives the exit code instead of failing, also for a signal and an unknown command', async () => {
    expect((await run('exit 3').done).exitCode).toBe(3);
    expect((await run('kill -KILL $$').done).exitCode).toBe(137);
    expect((await run('uwf-no-such-command').done).exitCode).toBe(127);
  });

  it('does not mind an empty answer', async () => {
    const call = run('true');
    expect(await call.done).toEqual({ exitCode: 0, usage: null, sessionId: null, trace: null });
    expect(call.output()).toHaveLength(0);
  });

  it('takes a task of megabytes and one with NULs', async () => {
    const large = run('wc -c', 'x'.repeat(5_000_000));
    await large.done;
    expect(large.output().toString().trim()).toBe('5000000');
    const nul = run('wc -c', 'a\0b');
    await nul.done;
    expect(nul.output().toString().trim()).toBe('3');
  });
});
