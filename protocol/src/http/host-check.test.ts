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
    [{ host: '192.168.1.5:4800', origin: undefined, localAddress: '192.168.1.5' }],
    [{ host: '192.168.1.5', origin: 'http://192.168.1.5', localAddress: '::ffff:192.168.1.5' }],
    [{ host: '[fd00::1]:4800', origin: undefined, localAddress: 'fd00::1' }],
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
    [{ host: '192.168.1.6:4800', origin: undefined, localAddress: '192.168.1.5' }],
    [{ host: 'evil.example', origin: undefined, localAddress: '192.168.1.5' }],
  ])('refuses %o', (request) => {
    expect(() => check(request)).toThrow(expect.objectContaining({ code: 'forbidden' }));
  });
});
