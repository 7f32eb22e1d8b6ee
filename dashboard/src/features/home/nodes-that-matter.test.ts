import { expect, it } from 'vitest';
import { nodesThatMatter } from './nodes-that-matter.js';

it('are those with a thread that is not over', () => {
  const seen = [
    { node: 'a', status: 'completed' },
    { node: 'b', status: 'failed' },
    { node: 'b', status: 'paused' },
    { node: 'd', status: 'running' },
  ] as const;
  expect(nodesThatMatter(['a', 'b', 'c'], seen)).toEqual(['b']);
});
