import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isProblem, type Problem } from '@uncaged/protocol/problem';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { agentBinding, readConfig } from './config.js';

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'uwf-config-'));
});
afterEach(() => rm(root, { recursive: true }));

const write = (text: string) => writeFile(join(root, 'workflow.yaml'), text);

async function problemOf(text: string): Promise<Problem> {
  await write(text);
  const failure: unknown = await readConfig(root).catch((error: unknown) => error);
  if (!isProblem(failure)) throw new Error(`no problem: ${String(failure)}`);
  return failure;
}

describe('readConfig', () => {
  it('gives the defaults when there is no file, no config, or an empty one', async () => {
    const expected = { maxDepth: 3, supervisorInterval: 0, recovery: 'auto', defaultAgent: null };
    expect(await readConfig(root)).toMatchObject(expected);
    for (const text of [
      '',
      '# nothing yet\n',
      'workflows: {}\n',
      'config:\n',
      'config: null\nworkflows:\n',
    ]) {
      await write(text);
      const config = await readConfig(root);
      expect(config).toMatchObject(expected);
      expect(config.concurrency.node).toBe(50);
    }
  });

  it('reads every section', async () => {
    await write(`config:
  defaultAgent: main
  agents:
    main: {preset: opencode}
    fast: {kind: command, command: [echo, hi]}
  workflows:
    solve-issue:
      agents: {coder: fast}
  providers: {local: {baseUrl: "http://127.0.0.1:1234/v1", apiKey: "env:KEY"}}
  models: {default: local/some/model, extract: local/small}
  prices: {local/small: {input: 0.5, output: 2}}
  maxDepth: 5
  supervisorInterval: 10
  concurrency: {node: 8, workflows: {solve-issue: 2}}
  workspaceRoots: [/srv/repos]
  recovery: manual
  retention: {age: 30d, count: 1000}
`);
    const config = await readConfig(root);
    expect([...config.agents.keys()]).toEqual(['main', 'fast']);
    expect(config.workflowAgents.get('solve-issue')?.get('coder')).toBe('fast');
    expect(config.models.get('default')).toBe('local/some/model');
    expect(config.prices.get('local/small')).toEqual({
      input: 0.5,
      output: 2,
      cacheRead: null,
      cacheWrite: null,
    });
    expect(config.concurrency).toMatchObject({ node: 8, workflows: { 'solve-issue': 2 } });
    expect(config.retention).toEqual({ age: 30 * 86_400_000, count: 1000, size: null });
    expect(config).toMatchObject({ maxDepth: 5, supervisorInterval: 10, recovery: 'manual' });
  });

  it.each([
    ['config:\n  maxDepth: three\n', 2, 3],
    ['config:\n  agents:\n    a: {}\n', 3, 5],
    ['config:\n  concurrency:\n    node: 0\n', 3, 5],
    ['config:\n  agents:\n    a: {kind: comand}\n', 3, 9],
    ['config:\n  retention:\n    age: soon\n', 3, 5],
    ['config: 7\n', 1, 1],
    ['config:\n  models:\n    default: nomodel\n', 3, 5],
  ])('names line and column of what is wrong in %j', async (text, line, column) => {
    const problem = await problemOf(text);
    expect(problem.code).toBe('invalid-config');
    expect(problem.message).toContain(`workflow.yaml:${line}:${column}: `);
  });

  it('proposes the setting that was meant', async () => {
    const problem = await problemOf('config:\n  maxDept: 3\n');
    expect(problem.message).toContain(
      'workflow.yaml:2:3: config.maxDept is not a known setting. Did you mean "maxDepth"?',
    );
  });

  it.each([
    ['maxDepth: three', 'maxDepth must be a number, not text. Write a number.'],
    ['maxDepth: 1.5', 'maxDepth must be a whole number.'],
    ['maxDepth: -1', 'maxDepth must be at least 0.'],
    ['defaultAgent: 7', 'defaultAgent must be text, not a number. Put it in quotes.'],
    ['workspaceRoots: /srv', 'workspaceRoots must be a list, not text. Write one item per line'],
    ['workspaceRoots: [srv]', 'workspaceRoots.0 must be an absolute path.'],
    ['recovery: maybe', 'recovery must be one of auto, manual.'],
    ['concurrency: 4', 'concurrency must be a map, not a number. Write "key: value" lines'],
    ['concurrency: {nodes: 4}', 'concurrency.nodes is not known here.'],
    ['concurrency: {node: 0}', 'concurrency.node must be more than 0.'],
    ['prices: {m: {input: 1}}', 'prices.m.output is missing. Add "output:".'],
    ['providers: {p: {baseUrl: nowhere}}', 'providers.p.baseUrl must be an address that begins'],
    ['agents: {7up: {kind: human}}', 'agents.7up is no name that can be used here: it must begin'],
    ['agents: {a: 7}', 'agents.a must be a map, not a number.'],
    ['agents: {a: {kind: command}}', 'agents.a.command is missing.'],
    ['agents: {a: {kind: command, command: ls}}', 'agents.a.command must be a list, not text.'],
    ['agents: {a: {kind: command, command: []}}', 'agents.a.command has too few items.'],
    ['agents: {a: {kind: command, command: [ls, 7]}}', 'agents.a.command.1 must be text, not a'],
    ['agents: {a: {kind: workflow, workflw: b}}', 'agents.a.workflw is not known here. Known'],
    ['agents: {a: {kind: comand}}', 'agents.a.kind must be one of command, scripted, workflow,'],
    ['agents: {a: {preset: ""}}', 'agents.a.preset must not be empty.'],
  ])('says of %j in plain words what is wrong and what to do', async (line, said) => {
    const { message } = await problemOf(`config:\n  ${line}\n`);
    expect(message).toContain(`: config.${said}`);
    expect(message).not.toMatch(/invalid input|expected|received|nvalid string|pattern|zod/i);
  });

  it('says it of the versions of a workflow, too', async () => {
    const { message } = await problemOf('workflows:\n  a: {hash: x, kind: definition}\n');
    expect(message).toContain('workflow.yaml:2:7: workflows.a.hash must be a hash');
    expect(message).toContain('workflows.a.timestamp is missing. Add "timestamp:".');
  });

  it('does not quote values, which may be keys', async () => {
    const problem = await problemOf(
      'config:\n  providers:\n    p: {baseUrl: sk-secret, apiKey: [sk-secret]}\n',
    );
    expect(problem.message).not.toContain('sk-secret');
    expect(JSON.stringify(problem.details)).not.toContain('sk-secret');
  });
});

describe('agentBinding', () => {
  const choice = { workflow: 'w', role: 'coder', definitionAgent: null, overrides: {} };
  const config = async (text: string) => {
    await write(text);
    return readConfig(root);
  };
  const full = `config:
  defaultAgent: a
  agents: {a: {preset: x}, b: {preset: x}, c: {preset: x}, d: {preset: x}}
  workflows: {w: {agents: {coder: c}}}
`;

  it('prefers the run, then the node for this workflow, then the definition, then the default', async () => {
    const all = await config(full);
    expect(agentBinding(all, { ...choice, definitionAgent: 'b', overrides: { coder: 'd' } })).toBe(
      'd',
    );
    expect(agentBinding(all, { ...choice, definitionAgent: 'b' })).toBe('c');
    expect(agentBinding(all, { ...choice, role: 'other', definitionAgent: 'b' })).toBe('b');
    expect(agentBinding(all, { ...choice, role: 'other' })).toBe('a');
  });

  it('says what to do when nobody named an agent', async () => {
    const empty = await config('');
    expect(() => agentBinding(empty, choice)).toThrow(/--agent coder=NAME/);
  });

  it('names the agents there are when the one asked for is not configured', async () => {
    const all = await config(full);
    expect(() => agentBinding(all, { ...choice, overrides: { coder: 'dd' } })).toThrow(
      /"dd".*Did you mean "d".*a, b, c, d/s,
    );
  });

  it('does not take names from the prototype of overrides', async () => {
    const all = await config(full);
    expect(agentBinding(all, { ...choice, role: 'constructor' })).toBe('a');
  });
});
