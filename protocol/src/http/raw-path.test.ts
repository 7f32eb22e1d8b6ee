import { describe, expect, it } from 'vitest';
import { checkRawPath } from './raw-path.js';

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
    expect(() => checkRawPath(path)).toThrow(/path of the request/);
  });

  it.each(['/', '/api/threads', '/api/threads?q=../%2f', '/api/a..b', '/api/%C3%A4', '/a//b'])(
    '%s passes',
    (path) => {
      expect(() => checkRawPath(path)).not.toThrow();
    },
  );
});
