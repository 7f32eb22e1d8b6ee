import { Problem } from '../problem/index.js';
import type { ThreadContext } from '../workflow/index.js';
import { createTemplateRenderer } from './template.js';

/** A rendered edge prompt; `where` names the edge in a problem. Null template = ''. Throws rule-failed. */
export type PromptRenderer = (
  template: string | null,
  thread: ThreadContext,
  where: string,
) => string;

/**
 * At the start a prompt sees the inputs' fields and `prompt`, later the last meta's fields; `start.prompt` and
 * `start.inputs` always.
 */
export function createPromptRenderer(): PromptRenderer {
  const render = createTemplateRenderer();
  return (template, thread, where) => {
    if (template === null) return '';
    // Most prompts are plain: then the meta need not be looked at.
    if (!template.includes('{{')) return template;
    const { content, inputs } = thread.start;
    const last = thread.steps.at(-1);
    const near = last === undefined ? { ...inputs, prompt: content } : last.meta;
    try {
      return render(template, { ...near, start: { prompt: content, inputs } });
    } catch (error) {
      throw new Problem(
        'rule-failed',
        `The prompt of ${where} cannot be rendered: ${(error as Error).message}.`,
        { cause: error },
      );
    }
  };
}
