import { describe, expect, it } from 'vitest';
import { importedOf } from './packs.js';

const RESULT = { type: 'result', threadId: '01M8Q9VTBKK0Q6ZM5087E6DBR1', nodes: 7, newNodes: 2 };
const PROBLEM = { code: 'invalid-pack', detail: 'line 3 is damaged' };
const lines = (...values: unknown[]) =>
  values.map((value) => `${JSON.stringify(value)}\n`).join('');

describe('the answer to a pack', () => {
  it('is the thread that was taken in', () => {
    const text = lines({ type: 'progress', phase: 'import', done: 5, total: null }, RESULT);
    expect(importedOf(200, text)).toEqual({ threadId: RESULT.threadId, nodes: 7, newNodes: 2 });
  });

  it('is a problem that was found on the way', () => {
    expect(() => importedOf(200, lines({ type: 'problem', problem: PROBLEM }))).toThrow(
      'line 3 is',
    );
  });

  it('is a problem from before it began', () => {
    expect(() => importedOf(415, JSON.stringify(PROBLEM, null, 2))).toThrow('line 3 is damaged');
    expect(() => importedOf(502, '<html>no</html>')).toThrow('status 502');
  });

  it('that broke off is no success', () => {
    const half = lines({ type: 'progress', phase: 'import', done: 5, total: null });
    expect(() => importedOf(200, `${half}{"type":"res`)).toThrow('broke off');
  });
});
