/** What a role answers: Markdown for people, and the meta that routes and that later roles read. */
export type Answer = {
  body: string[];
  meta: { $status: string; [field: string]: unknown };
};

/** Frontmatter, then the body. Every value is JSON, which is YAML too: nothing in a name can end a field early. */
export function formatAnswer({ body, meta }: Answer): string {
  const fields = Object.entries(meta).map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
  return ['---', ...fields, '---', '', ...body, ''].join('\n');
}
