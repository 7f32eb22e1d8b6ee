import { describe, expect, it } from 'vitest';
import { chooseNode } from './choose-node.js';
import { NO_FILTERS } from './thread-search.js';

const filters = { ...NO_FILTERS, status: ['failed' as const], workflow: 'review', q: 'prices' };

describe('choosing a node to narrow a list by', () => {
  it('clears the workflow, which was one of the node before, and keeps the rest', () => {
    const there = { ...filters, node: 'laptop' };
    expect(chooseNode(there, 'build-1')).toEqual({ ...filters, node: 'build-1', workflow: '' });
    expect(chooseNode(there, '')).toEqual({ ...filters, workflow: '' });
  });

  it('keeps a workflow that was chosen of all nodes', () => {
    expect(chooseNode(filters, 'build-1')).toEqual({ ...filters, node: 'build-1' });
  });
});
