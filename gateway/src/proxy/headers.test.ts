import { describe, expect, it } from 'vitest';
import { answerParts, requestParts } from './headers.js';

const OPERATOR = { role: 'operator', name: 'Ann Ä' } as const;
const sent = (...raw: string[]) => requestParts(raw, OPERATOR).headers;
const PRINCIPAL = ['x-uwf-principal', 'operator Ann%20%C3%84'];
const pairs = (flat: readonly string[]) =>
  flat.flatMap((name, at) => (at % 2 === 0 ? [[name, flat[at + 1]]] : []));
const got = (...headers: [string, string][]) => pairs(answerParts(headers, 'build-1').flat);
const OWN = [
  ['x-uwf-node', 'build-1'],
  ['x-content-type-options', 'nosniff'],
];
const SANDBOX = ['content-security-policy', "sandbox; default-src 'none'"];

describe('what a node gets of the headers of a request', () => {
  it('is what came, names in lower case, values and repetitions as they were, and who asks', () => {
    expect(sent('Accept', '*/*', 'X-A', 'caf\u00e9 ', 'x-a', '2', 'If-None-Match', '"e"')).toEqual([
      ['accept', '*/*'],
      ['x-a', 'caf\u00e9 '],
      ['x-a', '2'],
      ['if-none-match', '"e"'],
      PRINCIPAL,
    ]);
  });

  it.each([
    'Connection',
    'Keep-Alive',
    'TE',
    'Trailer',
    'Transfer-Encoding',
    'Upgrade',
    'Proxy-Connection',
    'Proxy-Authorization',
    'Host',
    'Cookie',
    'Authorization',
    'Expect',
    'Forwarded',
    'Via',
    'X-Real-IP',
    'X-Forwarded-For',
    'X-Forwarded-Host',
    'X-UWF-Principal',
    'x-uwf-node',
  ])('is never %s', (name) => {
    expect(sent(name, 'operator root')).toEqual([PRINCIPAL]);
  });

  it('is not what Connection names, and who asks stays even when that is named', () => {
    expect(
      sent('X-Secret', '1', 'Connection', 'keep-alive, X-Secret , x-uwf-principal', 'X-B', '2'),
    ).toEqual([['x-b', '2'], PRINCIPAL]);
  });

  it('tells whether a body follows and how long it says it is', () => {
    const parts = (...raw: string[]) => requestParts(raw, OPERATOR);
    expect(parts()).toMatchObject({ hasBody: false, declaredBytes: null });
    expect(parts('Content-Length', '0')).toMatchObject({ hasBody: false, declaredBytes: 0 });
    expect(parts('Content-Length', '5')).toMatchObject({ hasBody: true, declaredBytes: 5 });
    expect(parts('Transfer-Encoding', 'chunked')).toMatchObject({
      hasBody: true,
      declaredBytes: null,
    });
  });
});

describe('what a client gets of the headers of an answer', () => {
  it('keeps what belongs to the content and names the node', () => {
    const kept: [string, string][] = [
      ['content-type', 'application/json'],
      ['etag', '"e"'],
      ['content-range', 'bytes 0-1/2'],
      ['cache-control', 'no-store, no-transform'],
      ['x-accel-buffering', 'no'],
      ['retry-after', '3'],
      ['vary', 'a'],
      ['vary', 'b'],
    ];
    expect(got(...kept)).toEqual([...kept, ...OWN]);
  });

  it.each([
    'connection',
    'transfer-encoding',
    'set-cookie',
    'alt-svc',
    'clear-site-data',
    'location',
    'refresh',
    'access-control-allow-origin',
    'strict-transport-security',
    'service-worker-allowed',
    'link',
    'www-authenticate',
    'x-uwf-node',
    'x-content-type-options',
    'content-security-policy',
  ])('is never the %s of a node', (name) => {
    expect(got(['content-type', 'text/plain'], [name, 'evil'])).toEqual([
      ['content-type', 'text/plain'],
      ...OWN,
    ]);
  });

  it.each([
    'application/json',
    'Application/JSON; charset=UTF-8',
    'text/event-stream',
    'text/plain;x',
  ])('lets %s through as it is', (type) =>
    expect(got(['content-type', type])).toEqual([['content-type', type], ...OWN]),
  );

  it.each(['text/html', 'image/svg+xml', 'application/xml', 'text/plain;,text/html', 'x', ''])(
    'shuts %j into a sandbox',
    (type) => expect(got(['content-type', type])).toContainEqual(SANDBOX),
  );

  it('shuts content of no type, and of two, into a sandbox, whatever Connection names', () => {
    expect(got()).toContainEqual(SANDBOX);
    expect(got(['content-type', 'text/plain'], ['content-type', 'text/html'])).toContainEqual(
      SANDBOX,
    );
    const named = got(
      ['connection', 'content-type, content-security-policy, etag'],
      ['content-type', 'text/html'],
      ['etag', '1'],
    );
    expect(named).toEqual([['content-type', 'text/html'], ...OWN, SANDBOX]);
  });

  it.each([[['1', '2']], [['-1']], [['1, 1']], [['']], [['0x10']], [['9999999999999999']]])(
    'refuses the lengths %j',
    (lengths) => {
      const headers = lengths.map((length): [string, string] => ['content-length', length]);
      expect(() => answerParts(headers, 'build-1')).toThrow(
        expect.objectContaining({ code: 'node-failed' }),
      );
    },
  );
});
