import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Payload } from '@uncaged/protocol/cas';
import { createThreadId, decodeHash, type Hash } from '@uncaged/protocol/ids';
import Database from 'better-sqlite3';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openStore, type StepRow, type Store } from '../../store/index.js';
import { traceJson } from '../../views/index.js';
import { readStep } from './read-step.js';

type Call = { name: string; args?: string | null };
type Turn = { output?: string | null; calls?: Call[] };

let root: string;
let store: Store;
beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'uwf-read-step-'));
  store = await openStore(root, { clock: Date.now });
});
afterAll(() => {
  store.close();
  rmSync(root, { recursive: true, force: true });
});

const putText = (text: string | null | undefined) =>
  text == null ? null : store.nodes.putText(text);

/** A step whose agent did this; `turns` null: its agent told nothing. */
function stepWith(turns: Turn[] | null, answer = 'The answer.'): StepRow {
  const hash = store.write('normal', () => {
    const start = store.nodes.put('start', {
      workflow: 'demo',
      definition: null,
      bundle: null,
      prompt: store.nodes.putText('p'),
      inputs: null,
      depth: 0,
      parentState: null,
      workspace: null,
    });
    return store.nodes.put('state', {
      role: 'coder',
      attempt: 1,
      start,
      content: store.nodes.putText(answer),
      meta: {},
      ancestors: [],
      compact: null,
      childThread: null,
      agent: 'fake',
      session: turns === null ? null : putSession(turns),
      usage: null,
      startedAt: 1,
      timestamp: 2,
    });
  });
  return {
    thread: createThreadId(1),
    seq: 3,
    attempt: 2,
    hash,
    role: 'coder',
    agent: 'fake',
    status: 'committed',
    problem: null,
    startedAt: 1,
    committedAt: 2,
    pgid: null,
    processStart: null,
    childThread: null,
    usage: { input: 0, cacheRead: 0, cacheWrite: 0, output: 0 },
    usd: 0,
  };
}

function putSession(turns: Turn[]): Hash {
  return store.nodes.put('session', {
    agent: 'fake',
    role: 'coder',
    turns: turns.map(({ output, calls = [] }) =>
      store.nodes.put('turn', {
        input: null,
        output: putText(output),
        reasoning: null,
        toolCalls: calls.map(({ name, args }) =>
          store.nodes.put('toolCall', {
            name,
            arguments: putText(args),
            result: null,
            durationMs: null,
          }),
        ),
        tokens: null,
        latencyMs: null,
      }),
    ),
    totalTokens: null,
    durationMs: null,
  });
}

const read = (turns: Turn[] | null, quota = 4000, answer?: string) =>
  readStep(store, stepWith(turns, answer), quota);

describe('readStep', () => {
  it('shows each turn with its heading, its role, its tool calls and its content', () => {
    const row = stepWith([
      { output: 'I look.', calls: [{ name: 'read', args: '{"path":"a"}' }, { name: 'list' }] },
      { output: 'Done.' },
    ]);
    expect(readStep(store, row, 4000)).toEqual({
      turnCount: 2,
      shown: [1, 2],
      markdown: `# Step 3: coder

${row.hash} · attempt 2 · agent fake

## Turn 1

**Turn role:** assistant

- **read** — \`{"path":"a"}\`
- **list**

I look.

## Turn 2

**Turn role:** assistant

Done.`,
    });
  });

  it('shows a turn with a tool call and no content, and not one with neither', () => {
    const { markdown, shown } = read([
      { output: null, calls: [{ name: 'bash', args: 'ls' }] },
      { output: ' \n' },
      { calls: [{ name: ' ' }] },
      { output: 'end' },
    ]);
    expect(shown).toEqual([1, 4]);
    expect(markdown).toContain('## Turn 1\n\n**Turn role:** assistant\n\n- **bash** — `ls`');
    expect(markdown).toContain('## Turn 4');
  });

  it('has no heading of a turn where there is none, but the answer', () => {
    for (const turns of [null, [], [{ output: '' }]]) {
      const { markdown, shown } = read(turns);
      expect(markdown).not.toContain('## Turn');
      expect(markdown.endsWith('\n\nThe answer.')).toBe(true);
      expect(shown).toEqual([]);
    }
    expect(read(null, 4000, '').markdown).toMatch(/agent fake$/);
  });

  it('counts heading, blocks and two characters between them: what just fits is whole', () => {
    const turns = [{ output: 'a'.repeat(300) }, { output: 'b'.repeat(200) }];
    const whole = read(turns).markdown;
    expect(read(turns, whole.length).markdown).toBe(whole);
    const shorter = read(turns, whole.length - 1);
    expect(shorter).toMatchObject({ turnCount: 2, shown: [2] });
    expect(shorter.markdown).toContain('\n\n(turn 1 left out)\n\n## Turn 2');
    expect(shorter.markdown).toContain('b'.repeat(200));
  });

  it('cuts the latest turn when it alone is too long', () => {
    const { markdown, shown } = read([{ output: 'first' }, { output: '🙂'.repeat(4000) }], 500);
    expect(shown).toEqual([2]);
    expect(markdown).toContain('(turn 1 left out)\n\n## Turn 2\n\n');
    expect(markdown.length).toBeGreaterThan(497);
    expect(markdown.length).toBeLessThanOrEqual(500);
    expect(markdown.isWellFormed()).toBe(true);
    expect(markdown.endsWith('🙂…')).toBe(true);
  });

  it('never has more characters than its quota, and of turns always the latest', () => {
    const text = fc.option(fc.string({ unit: 'grapheme', maxLength: 120 }));
    const call = fc.record({ name: fc.string({ minLength: 1, maxLength: 9 }), args: text });
    const turn = fc.record({ output: text, calls: fc.array(call, { maxLength: 3 }) });
    fc.assert(
      fc.property(
        fc.option(fc.array(turn, { maxLength: 8 })),
        fc.integer({ min: 1, max: 1500 }),
        (turns, quota) => {
          const { markdown, shown, turnCount } = read(turns, quota);
          expect(markdown.length).toBeLessThanOrEqual(quota);
          expect(turnCount).toBe(turns?.length ?? 0);
          const all = read(turns, 100_000).shown;
          expect(shown).toEqual(shown.length === 0 ? [] : all.slice(-shown.length));
        },
      ),
      { numRuns: 500 },
    );
  });

  it('says what cannot be read, and shows the rest', () => {
    const row = stepWith([{ output: 'whole' }, { output: 'this text' }, { output: 'that turn' }]);
    const { session } = store.nodes.get(row.hash!)!.payload as Payload<'state'>;
    const { turns } = store.nodes.get(session!)!.payload as Payload<'session'>;
    const { output } = store.nodes.get(turns[1]!)!.payload as Payload<'turn'>;
    const database = new Database(join(root, 'store.db'));
    for (const hash of [output!, turns[2]!])
      database.prepare("UPDATE node SET bytes=x'00' WHERE hash=?").run(decodeHash(hash));
    database.close();
    const { markdown, shown } = readStep(store, row, 4000);
    expect(shown).toEqual([1, 2, 3]);
    expect(markdown).toContain('whole');
    expect(markdown).toContain(`(text ${output} cannot be read)`);
    expect(markdown).toContain(`(turn ${turns[2]} cannot be read)`);
    expect(traceJson(store, session!)?.turns.map((turn) => turn.output?.text)).toEqual([
      'whole',
      null,
      undefined,
    ]);
  });

  it('keeps arguments in their bullet, and terminals from obeying what an agent wrote', () => {
    const { markdown } = read([
      {
        output: '\u001b[2Jhello\u0007',
        calls: [{ name: 'sh\n# x', args: 'a `b`\n\n- ``c``\u001b]0;t\u0007' }],
      },
    ]);
    expect(markdown).toContain('- **sh # x** — ``` a `b` - ``c`` ```\n\nhello');
    expect(markdown).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/);
  });
});
