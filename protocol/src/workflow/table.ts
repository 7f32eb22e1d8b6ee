import { type END, START } from '../ids/index.js';
import { Problem } from '../problem/index.js';
import type { Meta, Moderator, Step, ThreadContext } from './contract.js';
import type { MetaOf, RoleDefinitions } from './role-definition.js';

/** The condition that always matches. */
export const FALLBACK = 'FALLBACK';

/** A step whose meta is typed by its role: narrow by `step.role`. */
export type StepOf<R extends RoleDefinitions> = {
  [K in keyof R & string]: Step<MetaOf<R[K]>> & { role: K };
}[keyof R & string];

/** What conditions and prompts of the rows of `From` see: the thread, and the step that has just ended. */
export type TableContext<R extends RoleDefinitions, From> = Omit<ThreadContext, 'steps'> & {
  steps: readonly StepOf<R>[];
  /** The step of `From`; null at the start. */
  last: From extends keyof R & string ? Step<MetaOf<R[From]>> & { role: From } : null;
};

/** Named, because people see it as the label of an edge. Pure. */
export type Condition<C> = {
  name: string;
  description?: string;
  check: (context: C) => boolean;
};

export type TableRow<R extends RoleDefinitions, From> = {
  condition: typeof FALLBACK | Condition<TableContext<R, From>>;
  role: (keyof R & string) | typeof END;
  /** The next role's task, at the end the summary; absent: the user's prompt, at the end a plain sentence. */
  prompt?: string | ((context: TableContext<R, From>) => string);
};

/** For each role, and the start, ordered rows; the first whose condition holds decides. */
export type ModeratorTable<R extends RoleDefinitions> = {
  [From in (keyof R & string) | typeof START]?: readonly TableRow<R, From>[];
};

/** Rows as the code below sees them, whatever the roles' types. */
type AnyContext = ThreadContext & { last: Step<Meta> | null };
export type AnyRow = {
  condition: typeof FALLBACK | Condition<AnyContext>;
  role: string;
  prompt?: string | ((context: AnyContext) => string);
};

/** The moderator that a table describes. Throws no-route when no row of the current role holds. */
export function tableModerator<R extends RoleDefinitions>(table: ModeratorTable<R>): Moderator {
  const rowsOf = new Map(tableEntries(table));
  return (thread) => {
    const last = thread.steps.at(-1) ?? null;
    const from = last?.role ?? START;
    const context: AnyContext = { ...thread, last };
    for (const { condition, role, prompt } of rowsOf.get(from) ?? []) {
      if (condition === FALLBACK || condition.check(context)) {
        return { role, prompt: typeof prompt === 'function' ? prompt(context) : (prompt ?? '') };
      }
    }
    throw new Problem(
      'no-route',
      `No row of the table holds after ${from}. Add a FALLBACK row to "${from}".`,
      { details: { role: from } },
    );
  };
}

/** Rows per role, in the order they are written. */
export function tableEntries<R extends RoleDefinitions>(
  table: ModeratorTable<R>,
): [string, readonly AnyRow[]][] {
  return Object.entries(table) as unknown as [string, readonly AnyRow[]][];
}
