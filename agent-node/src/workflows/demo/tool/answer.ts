import type { SoFar } from './so-far.js';

/** What a role answers: Markdown for people, and the meta that routes and is handed on. */
export type Answer = {
  body: string[];
  meta: { $status: string; soFar?: SoFar; [field: string]: unknown };
};

/** Frontmatter, then the body. Every value is JSON, which is YAML too: nothing in a name can end a field early. */
export function formatAnswer({ body, meta }: Answer): string {
  const fields = Object.entries(meta).map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
  return ['---', ...fields, '---', '', ...body, ''].join('\n');
}
