import { NO_OPTIONS, type Options } from './more-options.js';

/** What was typed into the form of a start. */
export type Draft = {
  /** Null: nothing was chosen; empty: any node. */
  node: string | null;
  /** What the node must have, where none is chosen. */
  labels: Record<string, string>;
  workflow: string;
  prompt: string;
  /** By field of a form made from the workflow's inputs. */
  typed: Record<string, string>;
  /** Inputs as JSON, where no form can be made. */
  json: string;
  /** Null: not touched; then what fits the workflow stands there. */
  workspace: string | null;
  options: Options;
};

export const EMPTY_DRAFT: Draft = {
  node: null,
  labels: {},
  workflow: '',
  prompt: '',
  typed: {},
  json: '',
  workspace: null,
  options: NO_OPTIONS,
};

/** Of this tab alone, and only until it is closed. */
const KEY = 'uwf.start';

type Storage = Pick<globalThis.Storage, 'getItem' | 'setItem' | 'removeItem'>;

/** What was typed before the dialog was closed or the page loaded anew; null: nothing, or nothing that can be read. */
export function loadDraft(storage: Storage): Draft | null {
  const text = withStorage(() => storage.getItem(KEY));
  if (text === null || text === undefined) return null;
  try {
    const kept: unknown = JSON.parse(text);
    if (typeof kept !== 'object' || kept === null) return null;
    const draft = { ...EMPTY_DRAFT, ...kept };
    return { ...draft, options: { ...NO_OPTIONS, ...draft.options } };
  } catch (error) {
    // Somebody else's text under our name.
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

/** Keeps what was typed; null: forgets it. */
export function keepDraft(storage: Storage, draft: Draft | null): void {
  withStorage(() =>
    draft === null || isEmpty(draft)
      ? storage.removeItem(KEY)
      : storage.setItem(KEY, JSON.stringify(draft)),
  );
}

/** A choice alone is not worth keeping: it is made again in a moment. */
export function isEmpty({ prompt, typed, json, workspace, options }: Draft): boolean {
  const { agents, ...limits } = options;
  return [
    prompt,
    json,
    workspace ?? '',
    ...values(typed),
    ...values(agents),
    ...values(limits),
  ].every((text) => text.trim() === '');
}

function values(texts: Record<string, string>): string[] {
  return Object.values(texts);
}

function withStorage<T>(use: () => T): T | undefined {
  try {
    return use();
  } catch (error) {
    // Storage is full or forbidden in this browser: the draft lasts as long as the dialog.
    if (error instanceof DOMException) return undefined;
    throw error;
  }
}
