import { describe, expect, it } from 'vitest';
import { readNodeToken } from './token.js';

const read = (env: Record<string, string>) =>
  readNodeToken({ file: undefined, env, cwd: () => '/', warn: () => undefined });

describe('the token of a node', () => {
  it('comes from UWF_NODE_TOKEN before WORKFLOW_DASHBOARD_SECRET', () => {
    expect(read({ UWF_NODE_TOKEN: 'a', WORKFLOW_DASHBOARD_SECRET: 'b' })).toBe('a');
    expect(read({ UWF_NODE_TOKEN: '', WORKFLOW_DASHBOARD_SECRET: 'b\n' })).toBe('b');
  });

  it('is not repeated when it cannot be sent', () => {
    const thrown = () => read({ UWF_NODE_TOKEN: 'geheim\r\nx: y' });
    expect(thrown).toThrow('UWF_NODE_TOKEN');
    expect(thrown).not.toThrow('geheim');
  });
});
