import { describe, expect, it } from 'vitest';
import { EMPTY_DRAFT, isEmpty, keepDraft, loadDraft } from './start-draft.js';

function memory(kept: Record<string, string> = {}) {
  return {
    kept,
    getItem: (key: string) => kept[key] ?? null,
    setItem: (key: string, value: string) => {
      kept[key] = value;
    },
    removeItem: (key: string) => {
      delete kept[key];
    },
  };
}

const draft = { ...EMPTY_DRAFT, node: 'build-1', prompt: 'do it', typed: { area: 'docs' } };

describe('what was typed for a start', () => {
  it('is there again', () => {
    const storage = memory();
    keepDraft(storage, draft);
    expect(loadDraft(storage)).toEqual(draft);
  });

  it('is forgotten when it was started, or when nothing was typed', () => {
    const storage = memory();
    for (const next of [null, { ...EMPTY_DRAFT, workflow: 'demo' }]) {
      keepDraft(storage, draft);
      keepDraft(storage, next);
      expect(storage.kept).toEqual({});
    }
  });

  it('is nothing where something else stands in its place', () => {
    for (const text of ['{', '"text"', 'null', '7'])
      expect(loadDraft(memory({ 'uwf.start': text }))).toBeNull();
  });

  it('lasts as long as the dialog where nothing can be kept', () => {
    const refuse = () => {
      throw new DOMException('forbidden', 'SecurityError');
    };
    const storage = { getItem: refuse, setItem: refuse, removeItem: refuse };
    expect(() => keepDraft(storage, draft)).not.toThrow();
    expect(loadDraft(storage)).toBeNull();
  });

  it('is something as soon as a limit or an agent is typed', () => {
    expect(isEmpty({ ...EMPTY_DRAFT, options: { ...EMPTY_DRAFT.options, usd: '2' } })).toBe(false);
    expect(
      isEmpty({ ...EMPTY_DRAFT, options: { ...EMPTY_DRAFT.options, agents: { a: 'b' } } }),
    ).toBe(false);
    expect(isEmpty(EMPTY_DRAFT)).toBe(true);
  });
});
