import type { PlacedEventJson, PlacedThread, SnapshotJson } from '@uncaged/protocol/api';
import { REMEMBERED_THREADS } from '../../limits.js';
import type { LiveChange } from './live-change.js';
import { type LiveNode, type LiveState, placeOf } from './live-state.js';
import { addLiveText } from './live-text.js';
import { patchThread } from './patch-thread.js';

/** The live state after a change; the same object when nothing changed. Pure: the worker and every tab come to the same. */
export function reduceLive(state: LiveState, change: LiveChange): LiveState {
  switch (change.type) {
    case 'connection':
      return { ...state, connection: change.connection };
    case 'snapshot':
      return afterSnapshot(state, change);
    case 'node.up': {
      const { node, machine, snapshot } = change.data;
      const cleared = withoutNode(state, node);
      return {
        ...cleared,
        nodes: { ...state.nodes, [node]: { machine, seq: snapshot.seq } },
        threads: { ...cleared.threads, ...placed(node, snapshot) },
      };
    }
    case 'node.down': {
      const { node, machine } = change.data;
      const seq = state.nodes[node]?.seq ?? 0;
      // Its threads stay as they were last seen.
      return { ...state, nodes: { ...state.nodes, [node]: { machine, seq } } };
    }
    case 'event':
      return afterEvent(state, change.data);
    case 'live': {
      const place = placeOf(change.data.node, change.data.thread);
      const before = state.texts[place];
      const text = addLiveText(before, change.data);
      return text === before ? state : { ...state, texts: { ...state.texts, [place]: text } };
    }
    case 'rejoined':
      return state;
    case 'summary':
      return withThread(state, change.data);
  }
}

function afterSnapshot(
  state: LiveState,
  { data, resumed }: Extract<LiveChange, { type: 'snapshot' }>,
): LiveState {
  const nodes: Record<string, LiveNode> = {};
  // A node that is away keeps what was last seen of it.
  let threads = resumed ? state.threads : threadsOfNodes(state, isAway(data));
  for (const { machine, snapshot } of data.nodes) {
    nodes[machine.name] = { machine, seq: snapshot?.seq ?? state.nodes[machine.name]?.seq ?? 0 };
    if (snapshot !== null) threads = { ...threads, ...placed(machine.name, snapshot) };
  }
  return {
    connection: { state: 'live' },
    nodes,
    threads,
    removed: resumed ? state.removed : {},
    // After a cut the text comes again from the step's beginning.
    texts: resumed ? state.texts : {},
  };
}

function isAway(
  data: Extract<LiveChange, { type: 'snapshot' }>['data'],
): (node: string) => boolean {
  const away = new Set(
    data.nodes.filter(({ snapshot }) => snapshot === null).map(({ machine }) => machine.name),
  );
  return (node) => away.has(node);
}

function afterEvent(state: LiveState, event: PlacedEventJson): LiveState {
  const { node, thread, seq, type } = event;
  const known = state.nodes[node];
  if (known !== undefined && seq <= known.seq) return state;
  const next: LiveState =
    known === undefined
      ? state
      : { ...state, nodes: { ...state.nodes, [node]: { ...known, seq } } };
  if (thread === null) return next;
  const place = placeOf(node, thread);
  const texts = endsText(type) ? without(next.texts, place) : next.texts;
  if (type === 'thread.removed')
    return {
      ...next,
      texts,
      threads: without(next.threads, place),
      removed: { ...next.removed, [place]: true },
    };
  const row = next.threads[place];
  if (row === undefined) return { ...next, texts };
  return withThread({ ...next, texts }, patchThread(row, event));
}

function endsText(type: PlacedEventJson['type']): boolean {
  // `step.started` too: what an earlier attempt said is gone. Starts and resumes begin nothing by themselves.
  return type.startsWith('step.') || type === 'thread.interrupted' || type === 'thread.cancelled';
}

function withThread(state: LiveState, thread: PlacedThread): LiveState {
  const place = placeOf(thread.node, thread.threadId);
  const threads = { ...state.threads, [place]: thread };
  return { ...state, threads: keepNewest(threads) };
}

/** Running ones always stay; of the others those that changed last. */
function keepNewest(threads: Record<string, PlacedThread>): Record<string, PlacedThread> {
  const all = Object.entries(threads);
  if (all.length <= REMEMBERED_THREADS) return threads;
  const resting = all.filter(([, { status }]) => status !== 'running');
  resting.sort(([, a], [, b]) => (a.updatedAt < b.updatedAt ? -1 : 1));
  const [oldest] = resting;
  return oldest === undefined ? threads : without(threads, oldest[0]);
}

function placed(node: string, { threads }: SnapshotJson): Record<string, PlacedThread> {
  return Object.fromEntries(
    threads.map((thread) => [placeOf(node, thread.threadId), { ...thread, node }]),
  );
}

function withoutNode(
  state: LiveState,
  node: string,
): Pick<LiveState, 'connection' | 'threads' | 'removed' | 'texts'> {
  const isOther = (place: string) => !place.startsWith(`${node}/`);
  return {
    connection: state.connection,
    threads: pick(state.threads, isOther),
    removed: pick(state.removed, isOther),
    texts: pick(state.texts, isOther),
  };
}

function threadsOfNodes(
  state: LiveState,
  matches: (node: string) => boolean,
): Record<string, PlacedThread> {
  return Object.fromEntries(Object.entries(state.threads).filter(([, { node }]) => matches(node)));
}

function pick<T>(record: Record<string, T>, keep: (key: string) => boolean): Record<string, T> {
  return Object.fromEntries(Object.entries(record).filter(([key]) => keep(key)));
}

function without<T>(record: Record<string, T>, key: string): Record<string, T> {
  if (!(key in record)) return record;
  const { [key]: _, ...rest } = record;
  return rest;
}
