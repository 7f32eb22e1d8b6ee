import type { GatewayMessage, PlacedThread } from '@uncaged/protocol/api';
import { describe, expect, it, vi } from 'vitest';
import { createHub } from './hub.js';
import type { LiveChange } from './live-change.js';
import { sampleEvent, sampleSnapshot, sampleThread } from './sample.test-data.js';
import type { StreamSink } from './stream.js';

type Opened = { threads: string[]; sink: StreamSink; closed: boolean };

function openHub(getSummary = async (): Promise<PlacedThread | null> => null) {
  const streams: Opened[] = [];
  const changes: LiveChange[] = [];
  const timers: (() => void)[] = [];
  const hub = createHub({
    open: (threads, sink) => {
      const stream = { threads, sink, closed: false };
      streams.push(stream);
      return () => {
        stream.closed = true;
      };
    },
    getSummary,
    now: () => 1_000,
    after: (_ms, task) => {
      timers.push(task);
      return () => undefined;
    },
    onChange: (change) => changes.push(change),
  });
  return { hub, streams, changes, timers };
}

const snapshot = (seq = 10): GatewayMessage => ({
  event: 'snapshot',
  id: null,
  data: sampleSnapshot(seq),
});
const event = (seq: number): GatewayMessage => {
  const data = sampleEvent(seq, 'step.committed', { seq: 1 });
  return { event: data.type, id: null, data } as GatewayMessage;
};

describe('the stream of a browser', () => {
  it('is one, and says how it stands', () => {
    const { hub, streams } = openHub();
    expect(hub.state().connection.state).toBe('connecting');
    streams[0]!.sink.message(snapshot());
    expect(hub.state().connection.state).toBe('live');
    streams[0]!.sink.broken('gone');
    expect(hub.state().connection).toEqual({ state: 'reconnecting', lastAt: 1_000, why: 'gone' });
    streams[0]!.sink.message(snapshot(20));
    expect(hub.state().connection.state).toBe('live');
    expect(streams).toHaveLength(1);
  });

  it('asked for another text goes on until its successor has a snapshot, and nothing counts as missed', () => {
    const { hub, streams, changes } = openHub();
    streams[0]!.sink.message(snapshot());
    hub.watch(['T1']);
    expect(streams[1]).toMatchObject({ threads: ['T1'], closed: false });
    streams[0]!.sink.message(event(11));
    expect(streams[0]!.closed).toBe(false);
    streams[1]!.sink.message(snapshot(11));
    expect(streams[0]!.closed).toBe(true);
    expect(changes.at(-1)).toMatchObject({ type: 'snapshot', resumed: true });
    streams[1]!.sink.message(event(12));
    expect(hub.state().nodes['build-1']?.seq).toBe(12);
  });

  it('that was cut before its successor came says that something may be missed', () => {
    const { hub, streams, changes } = openHub();
    streams[0]!.sink.message(snapshot());
    hub.watch(['T1']);
    streams[0]!.sink.broken('gone');
    streams[1]!.sink.message(snapshot(20));
    expect(changes.at(-1)).toMatchObject({ type: 'snapshot', resumed: false });
  });

  it('is not opened again for what is watched already', () => {
    const { hub, streams } = openHub();
    hub.watch(['T2', 'T1']);
    hub.watch(['T1', 'T2', 'T1']);
    expect(streams).toHaveLength(2);
  });

  it('ends when the session is over, until somebody begins it again', () => {
    const { hub, streams } = openHub();
    streams[0]!.sink.loggedOut();
    expect(streams[0]!.closed).toBe(true);
    expect(hub.state().connection.state).toBe('logged-out');
    hub.watch(['T1']);
    expect(streams).toHaveLength(1);
    hub.restart();
    expect(streams[1]!.threads).toEqual(['T1']);
    expect(hub.state().connection.state).toBe('connecting');
  });
});

it('asks for the row of a thread that changes once at a time, and again when it changed meanwhile', async () => {
  const getSummary = vi.fn(async () => sampleThread({ stepCount: 3 }));
  const { hub, streams, timers } = openHub(getSummary);
  streams[0]!.sink.message(snapshot());
  for (const seq of [11, 12, 13]) streams[0]!.sink.message(event(seq));
  expect(getSummary).toHaveBeenCalledTimes(1);
  await vi.waitFor(() => expect(timers).toHaveLength(1));
  expect(Object.values(hub.state().threads)[0]?.stepCount).toBe(3);
  timers[0]!();
  expect(getSummary).toHaveBeenCalledTimes(2);
});
