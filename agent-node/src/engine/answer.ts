import { Problem } from '@uncaged/protocol/problem';
import type { Meta } from '@uncaged/protocol/workflow';
import { extractMeta, readScriptAnswer, type Validator } from '../extract/index.js';
import type { ContentWriter } from '../store/index.js';
import { ANSWER_QUOTE_CHARS } from './limits.js';

type AnswerInput = {
  role: string;
  content: ContentWriter;
  schema: Record<string, unknown> | null;
  validator: Validator;
};

export type AgentAnswer =
  | { ok: true; meta: Meta }
  | { ok: false; errorText: string; quote: string };

/** Meta of what an agent said; throws answer-empty, invalid-definition. A refusal says what to correct. */
export function readAgentAnswer({ role, content, schema, validator }: AnswerInput): AgentAnswer {
  const text = textOf(content);
  if (text.trim() === '')
    throw new Problem('answer-empty', `role ${role}: the agent gave no answer`);
  const extraction = extractMeta({ text, schema, validator });
  return extraction.ok
    ? extraction
    : { ...extraction, quote: text.slice(0, ANSWER_QUOTE_CHARS).toWellFormed() };
}

/**
 * Meta of a script's output. What it says itself must match its schema; a status taken from the exit code alone is the
 * engine's own word and needs none. Throws answer-invalid.
 */
export function readScriptMeta(input: AnswerInput & { exitCode: number }): Meta {
  const { role, content, schema, validator, exitCode } = input;
  const answer = readScriptAnswer({
    head: content.head(),
    tail: content.tail(),
    wholeText: null,
    exitCode,
  });
  const said = () => textOf(content).slice(0, ANSWER_QUOTE_CHARS).toWellFormed();
  if (answer.source === 'broken')
    throw new Problem(
      'answer-invalid',
      `role ${role}: the script's answer names a $status but cannot be read: ${answer.problem}\nIt printed:\n${said()}`,
    );
  if (answer.source === 'exit-code' || schema === null) return answer.meta;
  const errors = validator.errors(schema, answer.meta);
  if (errors.length === 0) return answer.meta;
  throw new Problem(
    'answer-invalid',
    `role ${role}: the script's answer does not match its frontmatter schema: ${errors.join('; ')}\nIt printed:\n${said()}`,
  );
}

/** Whole text while it is short; of a long answer its beginning, where the frontmatter is. */
function textOf(content: ContentWriter): string {
  const tail = content.tail();
  return new TextDecoder().decode(tail.length === content.size ? tail : content.head());
}
