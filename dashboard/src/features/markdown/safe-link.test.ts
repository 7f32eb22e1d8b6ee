import { describe, expect, it } from 'vitest';
import { safeLink, shownTarget } from './safe-link.js';

describe('safeLink', () => {
  it.each([
    ['https://example.com/a?b#c', 'https://example.com/a?b#c'],
    ['HTTP://EXAMPLE.com', 'http://example.com/'],
    ['mailto:ann@example.com', 'mailto:ann@example.com'],
  ])('keeps %s', (href, target) => {
    expect(safeLink(href)).toBe(target);
  });

  it.each([
    'javascript:alert(1)',
    'JaVaScRiPt:alert(1)',
    ' javascript:alert(1)',
    'java\nscript:alert(1)',
    '\u0001javascript:alert(1)',
    'data:text/html,<script>alert(1)</script>',
    'vbscript:x',
    'file:///etc/passwd',
    'blob:https://example.com/1',
    '//example.com/x',
    '/nodes/build-1',
    '#main',
    '',
  ])('drops %j', (href) => {
    expect(safeLink(href)).toBeNull();
  });
});

describe('shownTarget', () => {
  it('says where words lead that say something else', () => {
    expect(shownTarget('https://evil.example/x', 'your bank')).toBe('evil.example');
    expect(shownTarget('https://evil.example/', 'https://bank.example/')).toBe('evil.example');
    expect(shownTarget('mailto:eve@example.com', 'write us')).toBe('eve@example.com');
  });

  it('does not repeat an address that is there', () => {
    expect(shownTarget('https://example.com/x', 'https://example.com/x')).toBeNull();
  });
});
