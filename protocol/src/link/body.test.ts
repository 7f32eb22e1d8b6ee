import { describe, expect, it } from 'vitest';
import { Problem } from '../problem/index.js';
import { toReadableStream } from './body.js';
import { Inbound } from './inbound.js';

function createBody() {
  const events: string[] = [];
  const inbound = new Inbound(100, {
    creditDue: () => events.push('credit'),
    drained: () => events.push('drained'),
    cancelled: () => events.push('cancelled'),
    touch: () => undefined,
  });
  return { inbound, events };
}

describe('a body', () => {
  it('as a web stream reads nothing before it is asked', async () => {
    const { inbound, events } = createBody();
    inbound.accept(new Uint8Array(60));
    const reader = toReadableStream(inbound).getReader();
    await new Promise((resolve) => setTimeout(resolve, 0));
    expect(inbound.buffered).toBe(60);
    expect((await reader.read()).value?.byteLength).toBe(60);
    expect(events).toEqual(['credit']);
    inbound.end();
    expect((await reader.read()).done).toBe(true);
    expect(events).toEqual(['credit', 'drained']);
  });

  it('as a web stream tells that it was cancelled, and why it failed', async () => {
    const left = createBody();
    await toReadableStream(left.inbound).cancel();
    expect(left.events).toEqual(['cancelled']);

    const lost = createBody();
    const reader = toReadableStream(lost.inbound).getReader();
    const reading = reader.read();
    const problem = new Problem('link-lost', 'The link ended.');
    lost.inbound.fail(problem);
    await expect(reading).rejects.toBe(problem);
  });

  it('tells that it was cancelled when a loop over it is left', async () => {
    const { inbound, events } = createBody();
    inbound.accept(new Uint8Array(10));
    for await (const chunk of inbound) {
      expect(chunk.byteLength).toBe(10);
      break;
    }
    expect(events).toEqual(['cancelled']);
  });

  it('that has come to its end stays readable when its stream fails', async () => {
    const { inbound } = createBody();
    inbound.accept(new Uint8Array(10));
    inbound.end();
    inbound.fail(new Problem('link-lost', 'The link ended.'));
    expect((await inbound.read())?.byteLength).toBe(10);
    expect(await inbound.read()).toBeNull();
  });

  it('that broke off is never taken for a whole one', async () => {
    const { inbound } = createBody();
    inbound.accept(new Uint8Array(10));
    inbound.fail(new Problem('link-lost', 'The link ended.'));
    expect(inbound.takeRest()).toBeNull();
    await expect(inbound.read()).rejects.toMatchObject({ code: 'link-lost' });
  });
});
