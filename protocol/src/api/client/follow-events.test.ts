import { describe, expect, it } from 'vitest';
import { createManualClock } from '../../link/manual-clock.test-data.js';
import { Problem, toProblemJson } from '../../problem/index.js';
import { type FollowOptions, type FollowState, followEvents } from './follow-events.js';
import type { SseMessage } from './sse-parser.js';

const encoder = new TextEncoder();
const html = { headers: { 'content-type': 'text/html' } };

type Step = (request: { lastEventId: string | null; signal: AbortSignal }) => Response;

/** Answers the connections one after the other as the script says; the last one stays as it is for all that follow. */
function setUp(script: Step[], options: Partial<FollowOptions> = {}) {
  const clock = createManualClock();
  const asked: (string | null)[] = [];
  const events: SseMessage[] = [];
  const states: FollowState[] = [];
  const abort = new AbortController();
  const following = followEvents({
    url: 'http://127.0.0.1:7420/api/events',
    clock,
    random: () => 1,
    signal: abort.signal,
    onEvent: (message) => void events.push(message),
    onState: (state) => void states.push(state),
    fetch: async (_url, init) => {
      const lastEventId = (init.headers as Headers).get('last-event-id');
      asked.push(lastEventId);
      return script[Math.min(asked.length, script.length) - 1]!({
        lastEventId,
        signal: init.signal!,
      });
    },
    ...options,
  });
  const waits = () => states.filter((state) => state.state === 'waiting');
  return { clock, asked, events, states, waits, abort, following };
}

function stream(text: string, { stays = false } = {}): Response {
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(encoder.encode(text));
      if (!stays) controller.close();
    },
  });
  return new Response(body, { headers: { 'content-type': 'text/event-stream; charset=utf-8' } });
}

function problem(given: Problem, headers: Record<string, string> = {}): Response {
  return new Response(JSON.stringify(toProblemJson(given)), {
    status: given.status,
    headers: { 'content-type': 'application/problem+json', ...headers },
  });
}

const refuse: Step = () => {
  throw new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED') });
};

describe('following a stream', () => {
  it('goes on after the last id when the connection ends, and stops at `done`', async () => {
    const { clock, asked, events, states, following } = setUp([
      () => stream('id: a.1\ndata: 1\n\nevent: live\ndata: x\n\nid: a.2\ndata: hal'),
      () => stream('id: a.2\ndata: 2\n\nevent: done\ndata: {}\n\n', { stays: true }),
    ]);
    await clock.advance(500);
    expect(await following).toEqual({ reason: 'done' });
    expect(asked).toEqual([null, 'a.1']);
    expect(events.map(({ data }) => data)).toEqual(['1', 'x', '2', '{}']);
    expect(states.map(({ state }) => state)).toEqual([
      ...['connecting', 'open', 'waiting', 'connecting', 'open', 'ended'],
    ]);
    expect(clock.pending()).toBe(0);
  });

  it('begins where it is told to', async () => {
    const { clock, asked, abort, following } = setUp([() => stream('', { stays: true })], {
      lastEventId: 'a.7',
    });
    await clock.settle();
    abort.abort();
    expect(await following).toEqual({ reason: 'aborted' });
    expect(asked).toEqual(['a.7']);
    expect(clock.pending()).toBe(0);
  });

  it('waits longer each time, at most 10 s, and says until when and why', async () => {
    const { clock, asked, waits, abort, following } = setUp([refuse]);
    await clock.advance(500 + 1000 + 2000 + 4000 + 8000 + 10_000 + 10_000);
    expect(asked).toHaveLength(8);
    const until = waits().map(({ untilMs }) => untilMs);
    expect(until).toEqual([500, 1500, 3500, 7500, 15_500, 25_500, 35_500, 45_500]);
    expect(waits()[0]?.problem).toMatchObject({ code: 'unreachable', retryable: true });
    expect(waits()[0]?.problem.message).toContain('ECONNREFUSED');
    abort.abort();
    expect(await following).toEqual({ reason: 'aborted' });
    expect(clock.pending()).toBe(0);
  });

  it('leaves half of a wait to chance', async () => {
    const { clock, waits, abort, following } = setUp([refuse], { random: () => 0 });
    await clock.settle();
    expect(waits()[0]?.untilMs).toBe(250);
    abort.abort();
    await following;
  });

  it('begins with the short wait again after an event that it can go on from', async () => {
    const { clock, waits, abort, following } = setUp([
      ...[refuse, refuse, refuse, () => stream('id: a.1\ndata: 1\n\n')],
      ...[refuse, refuse],
    ]);
    await clock.advance(500 + 1000 + 2000 + 500);
    const until = waits().map(({ untilMs }) => untilMs);
    expect(until).toEqual([500, 1500, 3500, 4000, 5000]);
    abort.abort();
    await following;
  });

  it('does not take a stream that always ends at once for a good one, but one that stayed', async () => {
    const brief = setUp([() => stream('data: snapshot\n\n')]);
    await brief.clock.advance(3500);
    expect(brief.waits().map(({ untilMs }) => untilMs)).toEqual([500, 1500, 3500, 7500]);
    brief.abort.abort();
    await brief.following;

    const long = setUp([refuse, refuse, () => stream('data: snapshot\n\n', { stays: true })]);
    await long.clock.advance(1500 + 40_000);
    expect(long.waits().map(({ untilMs }) => untilMs)).toEqual([500, 1500, 42_000]);
    long.abort.abort();
    await long.following;
  });

  it('connects again when nothing comes for 40 s, not even a comment', async () => {
    let say = (_: string) => {};
    const talking: Step = () => {
      const body = new ReadableStream<Uint8Array>({
        start: (controller) => {
          say = (text) => controller.enqueue(encoder.encode(text));
        },
      });
      return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
    };
    const { clock, asked, waits, abort, following } = setUp([talking]);
    for (let n = 0; n < 5; n++) {
      await clock.advance(15_000);
      say(':\n\n');
    }
    await clock.advance(39_000);
    expect(asked).toHaveLength(1);
    await clock.advance(1_500);
    expect(waits()[0]?.problem.code).toBe('node-timeout');
    expect(asked).toHaveLength(2);
    abort.abort();
    expect(await following).toEqual({ reason: 'aborted' });
  });

  it.each(['unauthorized', 'forbidden', 'thread-not-found'] as const)(
    'ends for good with %s',
    async (code) => {
      const { asked, states, following } = setUp([() => problem(new Problem(code, 'No.'))]);
      expect(await following).toMatchObject({ reason: 'refused', problem: { code } });
      expect(asked).toHaveLength(1);
      expect(states.at(-1)).toMatchObject({ state: 'ended', end: { reason: 'refused' } });
    },
  );

  it('comes back to a server that has no time, when it says', async () => {
    const busy = () => problem(new Problem('rate-limited', 'Later.'), { 'retry-after': '7' });
    const { clock, waits, abort, following } = setUp([busy]);
    await clock.settle();
    expect(waits()[0]).toMatchObject({ untilMs: 7000, problem: { code: 'rate-limited' } });
    abort.abort();
    await following;
  });

  it('comes back when a proxy answers with a page of its own', async () => {
    const { clock, events, waits, following } = setUp([
      () => new Response('<h1>Bad Gateway</h1>', { status: 502, ...html }),
      () => new Response('<p>Welcome</p>', html),
      () => stream('event: done\ndata: {}\n\n'),
    ]);
    await clock.advance(1500);
    expect(await following).toEqual({ reason: 'done' });
    expect(waits().map(({ problem }) => problem.code)).toEqual(['unreachable', 'internal']);
    expect(waits()[1]?.problem.message).toContain('“Welcome”');
    expect(events).toHaveLength(1);
  });

  it('ends for good with an event that cannot be read, whatever its problem', async () => {
    const { asked, following } = setUp([() => stream('data: 1\n\n')], {
      decode: () => {
        throw new Problem('bad-frame', 'Not JSON.');
      },
    });
    expect(await following).toMatchObject({ reason: 'refused', problem: { code: 'bad-frame' } });
    expect(asked).toHaveLength(1);
  });

  it('rejects with what its caller throws, and lets go of everything', async () => {
    const thrown = new Error('mine');
    let signal: AbortSignal | null = null;
    const { clock, following } = setUp(
      [
        (request) => {
          signal = request.signal;
          return stream('data: 1\n\n', { stays: true });
        },
      ],
      {
        onEvent: () => {
          throw thrown;
        },
      },
    );
    await expect(following).rejects.toBe(thrown);
    expect(signal!.aborted).toBe(true);
    expect(clock.pending()).toBe(0);
  });

  it('hands on nothing after it was aborted', async () => {
    const abort = new AbortController();
    const events: string[] = [];
    const { following } = setUp([() => stream('data: 1\n\ndata: 2\n\n')], {
      signal: abort.signal,
      onEvent: ({ data }) => {
        events.push(data);
        abort.abort();
      },
    });
    expect(await following).toEqual({ reason: 'aborted' });
    expect(events).toEqual(['1']);
  });
});
