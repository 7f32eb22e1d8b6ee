import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { checkDefinitionText } from '../../agent-node/src/registry/index.js';

const PAGES = ['README.md', 'docs/authoring.md'];

const examples = PAGES.flatMap((page) => {
  const text = readFileSync(fileURLToPath(new URL(`../../${page}`, import.meta.url)), 'utf8');
  return [...text.matchAll(/```yaml\n(name: .*?)```/gs)].map(([, example]) => ({
    page,
    example: example ?? '',
  }));
});

it('every page has a workflow to copy', () => {
  expect(new Set(examples.map(({ page }) => page))).toEqual(new Set(PAGES));
});

it.each(examples)('a workflow copied from $page passes the check', async ({ example }) => {
  const { findings } = await checkDefinitionText(example, null);
  expect(findings).toEqual([]);
});
