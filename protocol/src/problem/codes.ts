/**
 * Every expected failure, once. `status` is the HTTP status (RFC 9457); the exit code follows from it.
 * `retryable`: doing the same again may succeed without anybody changing anything.
 */
export const problemCodes = {
  // what was asked is wrong
  'invalid-argument': { status: 400, retryable: false, title: 'Invalid argument' },
  'invalid-id': { status: 400, retryable: false, title: 'Invalid id' },
  'ambiguous-id': { status: 400, retryable: false, title: 'Ambiguous id' },
  'too-large': { status: 413, retryable: false, title: 'Too large' },
  'unsupported-media-type': { status: 415, retryable: false, title: 'Wrong media type' },
  'range-not-satisfiable': { status: 416, retryable: false, title: 'Range lies outside' },
  'invalid-definition': { status: 422, retryable: false, title: 'Invalid workflow definition' },
  'invalid-inputs': { status: 422, retryable: false, title: 'Inputs do not match the workflow' },
  'invalid-config': { status: 422, retryable: false, title: 'Invalid configuration' },
  'invalid-node': { status: 422, retryable: false, title: 'Not a valid node' },
  'invalid-pack': { status: 422, retryable: false, title: 'Not a valid pack' },
  'max-depth': { status: 422, retryable: false, title: 'Workflows are nested too deep' },
  'invalid-workspace': { status: 422, retryable: false, title: 'Workspace cannot be used' },
  'unknown-agent': { status: 422, retryable: false, title: 'Unknown agent' },
  'unsupported-kind': { status: 422, retryable: false, title: 'Not supported' },
  // who asks may not
  unauthorized: { status: 401, retryable: false, title: 'Who are you?' },
  forbidden: { status: 403, retryable: false, title: 'Not allowed' },
  'rate-limited': { status: 429, retryable: true, title: 'Too many attempts' },
  // what was asked for does not exist
  'route-not-found': { status: 404, retryable: false, title: 'No such address' },
  'workflow-not-found': { status: 404, retryable: false, title: 'Workflow not found' },
  'version-not-found': { status: 404, retryable: false, title: 'Version not found' },
  'thread-not-found': { status: 404, retryable: false, title: 'Thread not found' },
  'step-not-found': { status: 404, retryable: false, title: 'Step not found' },
  'node-not-found': { status: 404, retryable: false, title: 'CAS entry not found' },
  'machine-not-found': { status: 404, retryable: false, title: 'No node of this name' },
  'file-not-found': { status: 404, retryable: false, title: 'File not found' },
  // what is there does not allow it
  'thread-owned': { status: 409, retryable: false, title: 'Thread has an owner' },
  'thread-state': { status: 409, retryable: false, title: 'Not possible in this state' },
  'in-use': { status: 409, retryable: false, title: 'Still in use' },
  'hash-collision': {
    status: 409,
    retryable: false,
    title: 'Different content under the same hash',
  },
  'registry-locked': { status: 409, retryable: true, title: 'Registry is being edited' },
  'idempotency-conflict': {
    status: 409,
    retryable: false,
    title: 'Idempotency key used for another request',
  },
  'builtin-workflow': { status: 409, retryable: false, title: 'Built-in workflow' },
  // the machine
  'store-busy': { status: 503, retryable: true, title: 'Store is busy' },
  'store-unavailable': { status: 500, retryable: false, title: 'Store cannot be opened' },
  'store-damaged': { status: 500, retryable: false, title: 'Store is damaged' },
  'store-newer': { status: 500, retryable: false, title: 'Store was written by a newer version' },
  'disk-full': { status: 507, retryable: false, title: 'Disk full' },
  'native-binding': { status: 500, retryable: false, title: 'Native module is missing' },
  'worker-start': { status: 500, retryable: true, title: 'Worker did not start' },
  // the way to a node
  'link-lost': { status: 502, retryable: true, title: 'The link to the node was lost' },
  'bad-frame': { status: 502, retryable: false, title: 'The link was not understood' },
  'node-failed': { status: 502, retryable: false, title: 'The node broke off its answer' },
  overloaded: { status: 503, retryable: true, title: 'Too many requests at once' },
  unreachable: { status: 503, retryable: true, title: 'The node is not connected' },
  'node-timeout': { status: 504, retryable: true, title: 'The node did not answer in time' },
  'name-in-use': { status: 409, retryable: true, title: 'Another node has this name' },
  'update-needed': { status: 409, retryable: false, title: 'No protocol in common' },
  'token-revoked': { status: 401, retryable: false, title: 'Token was revoked' },
  // why a step, and with it its thread, failed
  'no-route': { status: 500, retryable: false, title: 'No edge for this outcome' },
  'rule-limit': { status: 500, retryable: false, title: 'Rule takes too long' },
  'rule-failed': { status: 500, retryable: false, title: 'Rule cannot be evaluated' },
  'answer-empty': { status: 500, retryable: true, title: 'Agent gave no answer' },
  'answer-invalid': { status: 500, retryable: true, title: 'Answer does not match the schema' },
  'output-too-large': { status: 500, retryable: false, title: 'Output too large' },
  'agent-not-found': { status: 500, retryable: false, title: 'Agent program not found' },
  'agent-failed': { status: 500, retryable: true, title: 'Agent failed' },
  'secret-unresolved': { status: 500, retryable: false, title: 'Secret cannot be resolved' },
  timeout: { status: 500, retryable: true, title: 'Took too long' },
  cancelled: { status: 500, retryable: false, title: 'Cancelled' },
  'lease-lost': { status: 500, retryable: false, title: 'Another owner has the thread' },
  'child-failed': { status: 500, retryable: false, title: 'Nested thread failed' },
  'child-cancelled': { status: 500, retryable: false, title: 'Nested thread was cancelled' },
  'bundle-failed': { status: 500, retryable: false, title: 'Workflow code failed' },
  internal: { status: 500, retryable: false, title: 'Internal error' },
} as const satisfies Record<string, { status: number; retryable: boolean; title: string }>;

export type ProblemCode = keyof typeof problemCodes;
