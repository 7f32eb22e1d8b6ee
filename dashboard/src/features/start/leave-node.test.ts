import { describe, expect, it } from 'vitest';
import { leaveNode, leaveWorkflow } from './leave-node.js';
import { EMPTY_DRAFT } from './start-draft.js';

const draft = {
  ...EMPTY_DRAFT,
  node: 'build-1',
  workflow: 'review',
  prompt: 'do it',
  typed: { area: 'docs' },
  json: '{}',
  workspace: '/srv/shop',
  options: { ...EMPTY_DRAFT.options, agents: { coder: 'claude' }, usd: '2' },
};

describe('choosing another node', () => {
  it('clears the workflow, what was filled in for it, and the directory; not the prompt and the limits', () => {
    expect({ ...draft, ...leaveNode(draft, 'build-1', 'laptop') }).toEqual({
      ...EMPTY_DRAFT,
      node: 'build-1',
      prompt: 'do it',
      options: { ...EMPTY_DRAFT.options, usd: '2' },
    });
    expect(leaveNode(draft, 'build-1', '')).toMatchObject({ workflow: '', workspace: null });
  });

  it('clears nothing where none was chosen before, or the same again', () => {
    expect(leaveNode(draft, '', 'build-1')).toEqual({});
    expect(leaveNode(draft, 'build-1', 'build-1')).toEqual({});
  });
});

describe('choosing another workflow', () => {
  it('clears what was filled in for the one before', () => {
    expect({ ...draft, ...leaveWorkflow(draft, 'demo') }).toMatchObject({
      prompt: 'do it',
      typed: {},
      json: '',
      workspace: '/srv/shop',
      options: { agents: {}, usd: '2' },
    });
  });

  it('clears nothing where none was chosen before, or the same again', () => {
    expect(leaveWorkflow({ ...draft, workflow: '' }, 'demo')).toEqual({});
    expect(leaveWorkflow(draft, 'review')).toEqual({});
  });
});
