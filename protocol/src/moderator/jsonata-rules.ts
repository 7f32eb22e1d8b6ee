import jsonata from 'jsonata';
import { START } from '../ids/index.js';
import { RULE_MAX_ENTRIES } from '../limits.js';
import { isProblem, Problem } from '../problem/index.js';
import {
  type Definition,
  type DefinitionRule,
  type Moderator,
  type ThreadContext,
  toFileName,
} from '../workflow/index.js';
import { createPromptRenderer } from './prompt.js';

export type RulesOptions = {
  /**
   * What evaluates the regular expressions of rules. Its `exec` may throw a Problem rule-limit: a pattern that backtracks
   * without end cannot be stopped by counting, only by a host that can interrupt it.
   */
  RegexEngine?: RegExpConstructor;
};

type Rule = DefinitionRule & { index: number; expression: jsonata.Expression | null };

/**
 * The first rule whose `from` is the last step's role (or the start) and whose `when` is absent or exactly true.
 * Each evaluation is bounded by RULE_MAX_ENTRIES. Throws no-route, rule-limit, rule-failed.
 */
export function rulesModerator(definition: Definition, options: RulesOptions = {}): Moderator {
  const rulesOf = new Map<string, Rule[]>();
  for (const [index, rule] of (definition.moderator ?? []).entries()) {
    const expression = rule.when === null ? null : compile(rule.when, index, options);
    rulesOf.set(rule.from, [...(rulesOf.get(rule.from) ?? []), { ...rule, index, expression }]);
  }
  const render = createPromptRenderer();
  return async (thread) => {
    const from = thread.steps.at(-1)?.role ?? START;
    const rules = rulesOf.get(from) ?? [];
    for (const rule of rules) {
      if (await holds(rule, thread)) {
        return { role: rule.to, prompt: render(rule.prompt, thread, whereIs(rule)) };
      }
    }
    throw noRoute(from, rules);
  };
}

/** Null when the expression parses, else what is wrong with it. */
export function ruleSyntaxError(when: string): string | null {
  try {
    jsonata(when);
    return null;
  } catch (error) {
    return messageOf(error);
  }
}

const ENTRY_HOOK = Symbol.for('jsonata.__evaluate_entry');
/** Binding of the counter: of each evaluation its own, as threads may evaluate one rule at the same time. */
const COUNTER = 'uwfEntries';

function compile(when: string, index: number, options: RulesOptions): jsonata.Expression {
  let expression: jsonata.Expression;
  try {
    expression = jsonata(when, { ...options, sequence: RULE_MAX_ENTRIES });
  } catch (error) {
    throw new Problem('rule-failed', `${whereIs({ index })} does not parse: ${messageOf(error)}.`, {
      cause: error,
    });
  }
  const count = (_node: unknown, _input: unknown, environment: jsonata.Environment) => {
    const counter = environment.lookup(COUNTER) as { entries: number };
    counter.entries += 1;
    if (counter.entries > RULE_MAX_ENTRIES) {
      throw tooMuch({ index, when });
    }
  };
  // The types know text names only; the evaluator looks its hook up by symbol.
  expression.assign(ENTRY_HOOK as unknown as string, count);
  return expression;
}

async function holds(rule: Rule, thread: ThreadContext): Promise<boolean> {
  if (rule.expression === null) return true;
  try {
    return (await rule.expression.evaluate(thread, { [COUNTER]: { entries: 0 } })) === true;
  } catch (error) {
    if (isProblem(error)) throw error;
    if (SEQUENCE_TOO_LONG.has((error as { code?: string }).code ?? '')) throw tooMuch(rule);
    throw new Problem('rule-failed', `${whereIs(rule)} failed: ${messageOf(error)}.`, {
      cause: error,
    });
  }
}

/** JSONata's codes for a list or range beyond the `sequence` option. */
const SEQUENCE_TOO_LONG: ReadonlySet<string> = new Set(['D2014', 'D2015']);

function tooMuch({ index, when }: { index: number; when: string | null }): Problem {
  return new Problem(
    'rule-limit',
    `${whereIs({ index })} takes more than ${RULE_MAX_ENTRIES} evaluation steps or items. Make "when" simpler: ${when}`,
  );
}

function whereIs({ index }: { index: number }): string {
  return `Rule ${index + 1} of moderator`;
}

/** JSONata throws plain objects with a message. */
function messageOf(error: unknown): string {
  const message = (error as { message?: unknown } | null)?.message;
  return typeof message === 'string' ? message : String(error);
}

function noRoute(from: string, rules: readonly Rule[]): Problem {
  const role = toFileName(from);
  const there =
    rules.length === 0
      ? 'there is none from it'
      : `there are ${rules.length} from it, and the "when" of none is true`;
  return new Problem(
    'no-route',
    `No rule of moderator leads on from "${role}": ${there}. Add {from: ${role}, to: …} without "when" as the last.`,
    { details: { role: from } },
  );
}
