import { once } from 'node:events';
import { connect } from 'node:net';
import { LINK_SUBPROTOCOL } from '@uncaged/protocol/link';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { WebSocket } from 'ws';
import { dial, openGateway, refusedUpgrade, type TestGateway } from './test-gateway.test-data.js';

let gateway: TestGateway;
beforeEach(async () => {
  gateway = await openGateway({ limits: { handshakesMax: 2 } });
});
afterEach(() => gateway.close());

/** A request for an upgrade, byte for byte. */
function upgradeRequest(): string {
  return [
    'GET /connect HTTP/1.1',
    `Host: 127.0.0.1:${gateway.port}`,
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Version: 13',
    'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
    `Sec-WebSocket-Protocol: ${LINK_SUBPROTOCOL}`,
    'Authorization: Bearer build-1-token',
    '\r\n',
  ].join('\r\n');
}

/** HELLO of the node build-1, instance `early`. */
function helloFrame(): Buffer {
  return Buffer.concat([
    Buffer.from([1, 0, 0, 0, 0]),
    Buffer.from(
      JSON.stringify({
        protocols: [1],
        node: 'build-1',
        instance: 'early',
        version: '1',
        labels: {},
        allow: [],
      }),
    ),
  ]);
}

describe('an upgrade that is refused', () => {
  it.each([
    ['of a page of another site', { origin: 'https://evil.example' }, 403, 'forbidden'],
    ['for another host', { host: 'evil.example' }, 403, 'forbidden'],
    ['without the subprotocol', { 'sec-websocket-protocol': 'chat' }, 400, 'invalid-argument'],
    ['to something else', { upgrade: 'h2c' }, 400, 'invalid-argument'],
    ['without a key', { 'sec-websocket-key': 'short' }, 400, 'invalid-argument'],
    ['with an unknown token', { authorization: 'Bearer nonsense' }, 401, 'unauthorized'],
    ['with the token of a viewer', { authorization: 'Bearer viewer-token' }, 403, 'forbidden'],
    ['with the token of an operator', { authorization: 'Bearer operator-token' }, 403, 'forbidden'],
  ])('%s is answered with a problem', async (_what, headers, status, code) => {
    const answer = await refusedUpgrade(gateway.port, headers as Record<string, string>);
    expect(answer).toMatchObject({ status, problem: { status, code } });
    expect(answer.headers['content-type']).toBe('application/problem+json');
    expect(gateway.links.list()).toEqual([]);
    await vi.waitFor(async () => expect(await gateway.connections()).toBe(0));
  });

  it('is one to another path: 404', async () => {
    const answer = await refusedUpgrade(gateway.port, {}, '/api/events');
    expect(answer).toMatchObject({ status: 404, problem: { code: 'route-not-found' } });
  });

  it('never shows a token in log or audit', async () => {
    await refusedUpgrade(gateway.port, { authorization: 'Bearer super-secret' });
    await refusedUpgrade(gateway.port, { authorization: 'Bearer viewer-token' });
    expect(gateway.audit).toMatchObject([
      { action: 'link.refused', role: 'nobody', status: 401, address: '127.0.0.1' },
      { action: 'link.refused', role: 'viewer', name: 'anna', status: 403 },
    ]);
    expect(JSON.stringify([gateway.audit, gateway.logged])).not.toMatch(/secret|viewer-token/);
  });

  it('by a cookie only: a browser would send it along', async () => {
    const identity = gateway.tokens.get('key');
    gateway.tokens.set('cookie', { ...identity!, by: 'cookie' });
    const answer = await refusedUpgrade(gateway.port, { authorization: 'Bearer cookie' });
    expect(answer.status).toBe(403);
  });
});

describe('many at once', () => {
  it('are paced: beyond the limit they are told to come back, until the first have said who they are', async () => {
    const release = gateway.hold();
    const first = dial(gateway.port);
    const second = dial(gateway.port, { token: 'key', hello: { node: 'other' } });
    await vi.waitFor(() => expect(gateway.asked()).toBe(2));
    const answer = await refusedUpgrade(gateway.port);
    expect(answer).toMatchObject({ status: 503, problem: { code: 'overloaded' } });
    expect(answer.headers['retry-after']).toBe('3');
    release();
    await Promise.all([first, second]);
    await dial(gateway.port, { token: 'key', hello: { node: 'third' } });
    expect(gateway.links.list().map(({ name }) => name)).toEqual(['build-1', 'other', 'third']);
  });

  it('give their places back when they are refused, leave early or say nonsense', async () => {
    for (let round = 0; round < 5; round += 1) {
      await refusedUpgrade(gateway.port, { authorization: 'Bearer nonsense' });
      await refusedUpgrade(gateway.port, { 'sec-websocket-key': 'short' });
      const before = gateway.asked();
      const release = gateway.hold();
      const leaving = connect(gateway.port, '127.0.0.1');
      leaving.write(upgradeRequest());
      await once(leaving, 'connect');
      await vi.waitFor(() => expect(gateway.asked()).toBe(before + 1));
      leaving.resetAndDestroy();
      release();
      await vi.waitFor(async () => expect(await gateway.connections()).toBe(0));
      const garbage = new WebSocket(`ws://127.0.0.1:${gateway.port}/connect`, LINK_SUBPROTOCOL, {
        headers: { authorization: 'Bearer build-1-token' },
      });
      await once(garbage, 'open');
      garbage.send(Buffer.from([9, 9, 9]));
      await once(garbage, 'close');
    }
    await dial(gateway.port);
    expect(gateway.links.get('build-1')).not.toBeNull();
  });
});

describe('a client that is not well', () => {
  it('sends its first frames before it was identified: nothing of them is lost', async () => {
    const release = gateway.hold();
    const client = connect(gateway.port, '127.0.0.1');
    const hello = helloFrame();
    // A masked frame whose mask is zero, as a WebSocket client sends it; a part stands right behind the request.
    const frame = Buffer.concat([
      Buffer.from([0x82, 0x80 | 126, hello.length >> 8, hello.length & 0xff, 0, 0, 0, 0]),
      hello,
    ]);
    client.write(Buffer.concat([Buffer.from(upgradeRequest()), frame.subarray(0, 20)]));
    await vi.waitFor(() => expect(gateway.asked()).toBe(1));
    client.write(frame.subarray(20, 50));
    await new Promise((resolve) => setImmediate(resolve));
    client.write(frame.subarray(50));
    release();
    await vi.waitFor(() => expect(gateway.links.get('build-1')?.hello.instance).toBe('early'));
    client.destroy();
    await vi.waitFor(() => expect(gateway.links.get('build-1')).toBeNull());
  });

  it('says nothing: it is told so and cut off', async () => {
    const hasty = await openGateway({ limits: { link: { handshakeMs: 50 } } });
    const silent = connect(hasty.port, '127.0.0.1');
    silent.write(upgradeRequest());
    silent.resume();
    await once(silent, 'close');
    await vi.waitFor(async () => expect(await hasty.connections()).toBe(0), 5_000);
    expect(hasty.links.list()).toEqual([]);
    await hasty.close();
  });

  it('sends frames that are none, text, or one too large: its link ends, the others stay', async () => {
    const good = await dial(gateway.port);
    for (const message of [Buffer.from([1, 0, 0, 0, 0, 7]), 'text', Buffer.alloc(40_000)]) {
      const bad = new WebSocket(`ws://127.0.0.1:${gateway.port}/connect`, LINK_SUBPROTOCOL, {
        headers: { authorization: 'Bearer key' },
      });
      await once(bad, 'open');
      bad.send(message);
      await once(bad, 'close');
    }
    expect(gateway.links.list()).toHaveLength(1);
    expect(good.ended()).toBeNull();
  });

  it('sends a good HELLO and nonsense in one go: its name is free for the next', async () => {
    for (let round = 0; round < 3; round += 1) {
      const bad = new WebSocket(`ws://127.0.0.1:${gateway.port}/connect`, LINK_SUBPROTOCOL, {
        headers: { authorization: 'Bearer build-1-token' },
      });
      await once(bad, 'open');
      bad.send(helloFrame());
      bad.send(Buffer.from([9, 9, 9]));
      await once(bad, 'close');
    }
    expect((await dial(gateway.port)).welcome.gateway).toBe('gw');
  });

  it('resets its connection while it is refused: nothing comes of that', async () => {
    const client = connect(gateway.port, '127.0.0.1');
    client.on('error', () => undefined);
    client.write(upgradeRequest().replace('build-1-token', 'nonsense'));
    await once(client, 'data');
    client.resetAndDestroy();
    await vi.waitFor(async () => expect(await gateway.connections()).toBe(0));
    await dial(gateway.port);
  });

  it('does not read its refusal and keeps its end open: it is cut off', async () => {
    const hasty = await openGateway({ limits: { link: { handshakeMs: 50 } } });
    const client = connect({ port: hasty.port, host: '127.0.0.1', allowHalfOpen: true });
    client.pause();
    client.write(upgradeRequest().replace('build-1-token', 'nonsense'));
    await vi.waitFor(() => expect(hasty.logged.join()).toContain('401'));
    await vi.waitFor(async () => expect(await hasty.connections()).toBe(0), 5_000);
    client.destroy();
    await hasty.close();
  });
});
