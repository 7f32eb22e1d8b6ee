import { describe, expect, it } from 'vitest';
import { createHostCheck } from './host-check.js';

const check = createHostCheck(['flow.example', '10.0.0.5'], ['https://flow.example']);

describe('the check of Host and Origin', () => {
  it.each([
    [{ host: '127.0.0.1:4800', origin: undefined }],
    [{ host: 'localhost', origin: undefined }],
    [{ host: '[::1]:4800', origin: 'http://[::1]:4800' }],
    [{ host: 'LOCALHOST:1', origin: 'http://localhost:1' }],
    [{ host: '10.0.0.5:4800', origin: 'http://10.0.0.5:4800' }],
    [{ host: 'flow.example', origin: 'https://flow.example' }],
    [{ host: '127.0.0.1:4800', origin: 'https://flow.example' }],
  ])('lets %o through', (request) => {
    expect(() => check(request)).not.toThrow();
  });

  it.each([
    [{ host: undefined, origin: undefined }],
    [{ host: '', origin: undefined }],
    [{ host: 'evil.example', origin: undefined }],
    [{ host: 'localhost.evil.example', origin: undefined }],
    [{ host: '127.0.0.1.evil.example:4800', origin: undefined }],
    [{ host: 'evil.example:127.0.0.1', origin: undefined }],
    [{ host: '127.0.0.1:4800', origin: 'null' }],
    [{ host: '127.0.0.1:4800', origin: 'http://evil.example' }],
    [{ host: '127.0.0.1:4800', origin: 'http://127.0.0.1:9999' }],
    [{ host: '127.0.0.1:4800', origin: 'http://localhost:4800' }],
    [{ host: '127.0.0.1:4800', origin: '' }],
  ])('refuses %o', (request) => {
    expect(() => check(request)).toThrow(expect.objectContaining({ code: 'forbidden' }));
  });
});
