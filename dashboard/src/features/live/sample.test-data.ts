import type {
  GatewaySnapshotJson,
  MachineJson,
  PlacedEventJson,
  PlacedThread,
} from '@uncaged/protocol/api';

/** Pieces that the tests of the page are built from. */

const AT = '2026-05-03T10:00:00.000Z';

export function sampleThread(change: Partial<PlacedThread> = {}): PlacedThread {
  return {
    node: 'build-1',
    threadId: '01M8Q9VTBKK0Q6ZM5087E6DBR1',
    workflow: 'demo',
    version: 'MGFXSJACYTSQA',
    kind: 'definition',
    status: 'running',
    desired: 'run',
    reason: null,
    problem: null,
    retryable: false,
    prompt: 'Make the README shorter',
    role: null,
    stepCount: 0,
    usage: { input: 0, cacheRead: 0, cacheWrite: 0, output: 0 },
    usd: 0,
    parent: null,
    forkedFrom: null,
    imported: false,
    createdAt: AT,
    updatedAt: AT,
    startedAt: AT,
    endedAt: null,
    returnCode: null,
    summary: null,
    ...change,
  };
}

export function sampleMachine(name: string, state: MachineJson['state'] = 'online'): MachineJson {
  return {
    name,
    state,
    since: AT,
    version: '0.1.0',
    labels: {},
    allow: ['read', 'control', 'run', 'publish'],
    gateway: 'gateway-1',
    rttMs: state === 'online' ? 1 : null,
  };
}

export function sampleEvent(
  seq: number,
  type: PlacedEventJson['type'],
  data: Record<string, unknown> = {},
): PlacedEventJson {
  return {
    node: 'build-1',
    seq,
    type,
    thread: sampleThread().threadId,
    at: '2026-05-03T10:00:05.000Z',
    data,
  };
}

/** Both nodes known; `build-2` is away. */
export function sampleSnapshot(seq = 10, threads = [sampleThread()]): GatewaySnapshotJson {
  return {
    nodes: [
      { machine: sampleMachine('build-1'), snapshot: { seq, counts: {} as never, threads } },
      { machine: sampleMachine('build-2', 'offline'), snapshot: null },
    ],
  };
}
