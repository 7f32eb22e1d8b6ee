import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DEFINITION_MAX_BYTES } from '@uncaged/protocol/limits';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  checkDefinitionText,
  formatFinding,
  hasErrors,
  readDefinitionFile,
  requireDefinition,
} from './definition-source.js';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'uwf-source-'));
});
afterEach(() => rm(directory, { recursive: true }));

const GREET = `name: greet
description: says hello   # to anybody
roles:
  hello:
    run: echo hi
graph:
  $START:
    _: {role: hello, prompt: Go}
  hello:
    ok: {role: $END, prompt: done}
    failed: {role: $END, prompt: not done}
`;
const read = async (content: string | Uint8Array, name = 'greet.yaml') => {
  await writeFile(join(directory, name), content);
  return readDefinitionFile(join(directory, name), null);
};

describe('readDefinitionFile', () => {
  it('reads a clean file without findings and keeps its text', async () => {
    const { definition, findings, source } = await read(GREET);
    expect(findings).toEqual([]);
    expect(definition?.name).toBe('greet');
    expect(definition?.graph?.__start__?._?.role).toBe('hello');
    expect(source).toBe(GREET);
  });

  it('reads the same as JSON', async () => {
    const json = {
      name: 'greet',
      description: 'says hello',
      roles: { hello: { run: 'echo hi' } },
      graph: {
        $START: { _: { role: 'hello', prompt: 'Go' } },
        hello: {
          ok: { role: '$END', prompt: 'done' },
          failed: { role: '$END', prompt: 'not done' },
        },
      },
    };
    const fromJson = await read(JSON.stringify(json, null, '\t'), 'greet.json');
    expect(fromJson.findings).toEqual([]);
    expect(fromJson.definition).toEqual((await read(GREET)).definition);
  });

  it.each([
    ['an unknown role in an edge', GREET.replace('role: hello,', 'role: helo,'), 8],
    ['an unknown field', GREET.replace('    run:', '    rnu:'), 5],
    [
      'a role nobody leads to',
      `${GREET.replace('graph:', '  lost:\n    run: echo\ngraph:')}  lost:\n    ok: {role: $END}\n    failed: {role: $END}\n`,
      6,
    ],
    ['a wrong type', GREET.replace('run: echo hi', 'run: [echo]'), 5],
    [
      'a JSON Schema that is none',
      GREET.replace('    run:', '    frontmatter: {type: objekt}\n    run:'),
      5,
    ],
  ])('finds %s at its line', async (_, text, line) => {
    const { findings } = await read(text);
    expect(findings.map((finding) => finding.line)).toContain(line);
    for (const finding of findings) {
      expect(finding.message).not.toBe('');
      expect(finding.column).toBeGreaterThan(0);
    }
  });

  it.each([
    ['an empty file', '', 'empty-file'],
    ['only comments', '# soon\n', 'not-a-map'],
    ['a list', '- a\n', 'not-a-map'],
    ['a lone word', 'hello', 'not-a-map'],
    ['broken YAML', 'name: x\nroles: {a: [}', 'yaml-syntax'],
    ['bytes that are not UTF-8', Buffer.from([0x61, 0x0a, 0x62, 0xc3, 0x28]), 'not-utf-8'],
    ['UTF-16', Buffer.from('name: x', 'utf16le'), 'control-character'],
    ['a file above the limit', Buffer.alloc(DEFINITION_MAX_BYTES + 1, 0x20), 'too-large'],
  ])('has an error and no definition for %s', async (_, content, code) => {
    const checked = await read(content);
    expect(checked.definition).toBeNull();
    expect(hasErrors(checked.findings)).toBe(true);
    expect(checked.findings[0]?.code).toBe(code);
  });

  it('points at the byte that is not UTF-8', async () => {
    const { findings } = await read(Buffer.from([0x61, 0x0a, 0x62, 0xc3, 0x28]));
    expect(findings[0]).toMatchObject({ line: 2, column: 2 });
  });

  it.each([
    ['a missing file', 'absent.yaml', 'file-not-found'],
    ['a path through a file', 'greet.yaml/x.yaml', 'file-not-found'],
    ['a directory', '.', 'invalid-argument'],
    ['a NUL in the name', 'a\0b', 'invalid-argument'],
    ['a name of 10 kB', 'x'.repeat(10_000), 'file-not-found'],
  ])('throws for %s, in a short message', async (_, name, code) => {
    await read(GREET);
    const failure: unknown = await readDefinitionFile(`${directory}/${name}`, null).catch(
      (error: unknown) => error,
    );
    expect(failure).toMatchObject({ code });
    expect((failure as Error).message.length).toBeLessThan(200);
  });

  it('does not wait for a device', async () => {
    await expect(readDefinitionFile('/dev/zero', null)).rejects.toMatchObject({
      code: 'invalid-argument',
    });
  });

  it('does not wait for a pipe that nobody writes into', async () => {
    const pipe = join(directory, 'pipe.yaml');
    execFileSync('mkfifo', [pipe]);
    await expect(readDefinitionFile(pipe, null)).rejects.toMatchObject({
      code: 'invalid-argument',
    });
  });

  it('takes keys like __proto__ for what they are', async () => {
    const { findings } = await checkDefinitionText(
      `__proto__: {polluted: 1}\nconstructor: 1\n${GREET}`,
      null,
    );
    expect(
      findings.filter((finding) => finding.severity === 'error').map((finding) => finding.line),
    ).toEqual([1, 2]);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  it('says which agents the node does not know, when it is asked to', async () => {
    const text = GREET.replace(
      '    run: echo hi',
      '    goal: greet\n    agent: nobody\n    frontmatter: {type: object, properties: {$status: {enum: [ok, failed]}}}',
    );
    const unknown = await checkDefinitionText(text, ['somebody']);
    expect(
      unknown.findings.some((finding) => finding.line === 6 && finding.message.includes('nobody')),
    ).toBe(true);
    const unasked = await checkDefinitionText(text, null);
    expect(unasked.findings.some((finding) => finding.message.includes('nobody'))).toBe(false);
  });
});

describe('requireDefinition', () => {
  it('lists file, line and column of each error', async () => {
    const checked = await checkDefinitionText('name: greet\nname: greet\nroles: {}\n', null);
    expect(() => requireDefinition(checked, 'g.yaml')).toThrow(
      /g\.yaml:2:1: error: The key "name" is there twice\. Keep one/,
    );
  });

  it('formats a finding as compilers do', () => {
    const finding = {
      severity: 'warning',
      code: 'x',
      path: [],
      message: 'M.',
      fix: 'F.',
      line: 3,
      column: 7,
    } as const;
    expect(formatFinding('a/b.yaml', { ...finding, path: [] })).toBe(
      'a/b.yaml:3:7: warning: M. F.',
    );
  });
});
