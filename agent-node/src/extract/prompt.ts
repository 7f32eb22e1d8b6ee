import { stringify } from 'yaml';
import { exampleMetas } from './example.js';
import type { JsonObject } from './json-value.js';
import { type PreviousStep, type PreviousSteps, textOf } from './previous-steps.js';

export type PromptParts = {
  /** What the role is: goal, capabilities, procedure, output. */
  rolePrompt: string;
  /** What it is to do now. */
  task: string;
  /** Committed steps before the latest, oldest first; or what was kept of them step by step. */
  previous: readonly PreviousStep[] | PreviousSteps;
  latest: { role: string; content: string; meta: JsonObject } | null;
  /** JSON Schema of the answer's meta; null: the answer is free text. */
  schema: JsonObject | null;
};

/** What an agent reads. Work grows with what is shown, not with the number of steps. */
export function assemblePrompt(parts: PromptParts): string {
  const sections = [
    parts.rolePrompt.trim(),
    `## Task\n\n${parts.task.trim()}`,
    previousSteps(parts.previous),
    latestStep(parts.latest),
    parts.schema === null ? '' : answerFormat(parts.schema),
  ];
  return `${sections.filter((section) => section !== '').join('\n\n')}\n`;
}

function previousSteps(previous: PromptParts['previous']): string {
  const text = 'text' in previous ? previous.text() : textOf(previous);
  return text === '' ? '' : `## Previous Steps\n\n${text}`;
}

function latestStep(latest: PromptParts['latest']): string {
  if (latest === null) return '';
  const meta = `Meta: ${JSON.stringify(latest.meta)}`;
  return `## Latest Step\n\n### ${latest.role}\n\n${fenced(latest.content.trimEnd(), 'markdown')}\n\n${meta}`;
}

function answerFormat(schema: JsonObject): string {
  const examples = exampleMetas(schema).map((meta) =>
    fenced(`---\n${stringify(meta)}---\n\n…the text of your answer…`, 'markdown'),
  );
  return [
    '## Answer format',
    'Begin your answer with YAML frontmatter: a line `---`, the fields, a line `---`. Then write the text of your answer in Markdown. The fields must match this JSON Schema:',
    fenced(JSON.stringify(schema), 'json'),
    examples.length === 1 ? 'An example of the form:' : 'Examples of the form, use one of them:',
    ...examples,
  ].join('\n\n');
}

const SHORTEST_FENCE = 3;

/** A fence longer than any in the text, so that the text cannot end it. */
function fenced(text: string, language: string): string {
  const longest = (text.match(/`+/g) ?? []).reduce(
    (max, run) => Math.max(max, run.length),
    SHORTEST_FENCE - 1,
  );
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}
