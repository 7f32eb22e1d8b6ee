import type { NodeType, Payload } from './node-types.js';

const A = '8JY2SXDDEW4SJ';
const B = 'XX3DPDTHV3MSJ';
const usage = { input: 10, cacheRead: 2, cacheWrite: 1, output: 5 };

/** One payload of each type, for tests that pin bytes. Never change: stored nodes have these forms. */
export const samplePayloads: { [T in NodeType]: Payload<T> } = {
  content: { text: 'Grüße "quoted"\n' },
  parts: { size: 2_097_152, parts: [B, A] },
  bytes: { base64: '/wAB' },
  definition: {
    name: 'ship-it',
    description: null,
    inputs: { type: 'object', properties: { branch: { type: 'string' } } },
    maxSteps: 20,
    budget: { tokens: 1000, usd: null },
    roles: {
      build: {
        description: 'Builds',
        goal: null,
        capabilities: null,
        procedure: null,
        output: null,
        frontmatter: { type: 'object', properties: { $status: { enum: ['ok', 'failed'] } } },
        run: 'make',
        agent: null,
        timeout: 90_000,
        retry: { maxAttempts: 2, backoff: null },
        maxVisits: 3,
        workspace: { worktree: true },
      },
    },
    graph: {
      __start__: { _: { role: 'build', prompt: null } },
      build: { ok: { role: '__end__', prompt: 'Done' }, failed: { role: 'build', prompt: null } },
    },
    moderator: null,
  },
  start: {
    workflow: 'ship-it',
    definition: A,
    bundle: null,
    prompt: B,
    inputs: { branch: 'main' },
    depth: 0,
    parentState: null,
    workspace: '/srv/repo',
  },
  state: {
    role: 'build',
    attempt: 1,
    start: B,
    content: A,
    meta: { $status: 'ok', files: ['a', 'b'], ratio: 0.5 },
    ancestors: [B, A],
    compact: null,
    childThread: '01ARZ3NDEKTSV4RRFFQ69G5FAV',
    agent: 'run',
    session: null,
    usage,
    startedAt: 1_700_000_000_000,
    timestamp: 1_700_000_000_500,
  },
  session: {
    agent: 'opencode',
    role: 'build',
    turns: [A, B],
    totalTokens: usage,
    durationMs: 1200,
  },
  turn: {
    input: A,
    output: null,
    reasoning: B,
    toolCalls: [A],
    tokens: null,
    latencyMs: 300,
  },
  toolCall: { name: 'read_file', arguments: A, result: null, durationMs: 4 },
};
