import { expect, it } from 'vitest';
import { withoutFrontmatter } from './without-frontmatter.js';

it.each([
  ['---\n$status: done\n---\n\n# Text', '\n# Text'],
  ['\uFEFF---\r\na: 1\r\n---\r\nText', 'Text'],
  ['Text\n---\na: 1\n---\n', 'Text\n---\na: 1\n---\n'],
  ['---\nnever closed', '---\nnever closed'],
  ['---\na: 1\n---\n', '---\na: 1\n---\n'],
])('leaves of %j the text', (text, rest) => {
  expect(withoutFrontmatter(text)).toBe(rest);
});
