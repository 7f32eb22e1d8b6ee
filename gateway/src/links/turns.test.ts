import { expect, it } from 'vitest';
import { createTurns } from './turns.js';

const never = () => new AbortController().signal;

it('gives turns of a name one after another, and those of other names at once', async () => {
  const turns = createTurns(5);
  const order: string[] = [];
  const first = await turns.take('a', never());
  const second = turns.take('a', never()).then((turn) => {
    order.push('second');
    turn?.();
  });
  const other = await turns.take('b', never());
  order.push('other');
  first?.();
  first?.();
  await second;
  other?.();
  expect(order).toEqual(['other', 'second']);
  expect(await turns.take('a', never())).not.toBeNull();
});

it('lets only so many wait', async () => {
  const turns = createTurns(1);
  const first = await turns.take('a', never());
  const second = turns.take('a', never());
  expect(await turns.take('a', never())).toBeNull();
  first?.();
  expect(await second).not.toBeNull();
});

it('forgets who leaves the line', async () => {
  const turns = createTurns(1);
  const leaving = new AbortController();
  const first = await turns.take('a', never());
  const left = turns.take('a', leaving.signal);
  leaving.abort();
  expect(await left).toBeNull();
  const next = turns.take('a', never());
  first?.();
  const turn = await next;
  expect(turn).not.toBeNull();
  turn?.();
  expect(await turns.take('a', leaving.signal)).toBeNull();
  expect(await turns.take('a', never())).not.toBeNull();
});
