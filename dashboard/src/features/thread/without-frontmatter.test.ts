import { expect, it } from 'vitest';
import { withoutFrontmatter, withoutInnerFrontmatter } from './without-frontmatter.js';

it.each([
  ['---\n$status: done\n---\n\n# Text', '\n# Text'],
  ['\uFEFF---\r\na: 1\r\n---\r\nText', 'Text'],
  ['Text\n---\na: 1\n---\n', 'Text\n---\na: 1\n---\n'],
  ['---\nnever closed', '---\nnever closed'],
  ['---\na: 1\n---\n', '---\na: 1\n---\n'],
  ['---\n# why\n\n"a b": 1\n---\nText', 'Text'],
  ['---\n{"a": 1}\n---\nText', 'Text'],
  ['---\nOnly a rule above and below.\n---\nText', '---\nOnly a rule above and below.\n---\nText'],
  ['---\nSee https://example.org/a\n---\nText', '---\nSee https://example.org/a\n---\nText'],
])('leaves of %j the text', (text, rest) => {
  expect(withoutFrontmatter(text)).toBe(rest);
});

it.each([
  ['Done.\n\n---\nn: 1\n---\nAll of it.', 'Done.\n\nAll of it.'],
  ['---\nn: 1\n---\nAll of it.', 'All of it.'],
  ['Done.\n\n---\nOnly a rule.\n---\nMore', 'Done.\n\n---\nOnly a rule.\n---\nMore'],
  ['Done.', 'Done.'],
  ['---\nn: 1\n---\nOne\n\n---\n\nTwo', 'One\n\n---\n\nTwo'],
])('leaves of %j, which a nested thread answered, the texts', (text, rest) => {
  expect(withoutInnerFrontmatter(text)).toBe(rest);
});
