import { describe, expect, it } from 'vitest';
import { checkRawPath } from './raw-path.js';

const check = (rawPath: string) => () =>
  checkRawPath(new Request('http://node/api/threads'), { rawPath });

describe('the raw path', () => {
  it.each([
    '/api/../x',
    '/api/%2e%2e/x',
    '/api/.%2E/x',
    '/api/./x',
    '/api/a%2fb',
    '/api/a%5Cb',
    '/api/a\\b',
    '/api/a%00',
    '/api/%0d%0a',
    '/api/%',
    '/api/%c3%28',
    'api/threads',
    'http://other/api/threads',
    '*',
    '',
  ])('%s is refused', (path) => {
    expect(check(path)).toThrow(/path of the request/);
  });

  it.each(['/', '/api/threads', '/api/threads?q=../%2f', '/api/a..b', '/api/%C3%A4'])(
    '%s passes',
    (path) => {
      expect(check(path)).not.toThrow();
    },
  );

  it('is that of the server when there is one', () => {
    const incoming = { url: '/api/%2e%2e/x' };
    expect(() => checkRawPath(new Request('http://node/x'), { incoming })).toThrow();
  });
});
