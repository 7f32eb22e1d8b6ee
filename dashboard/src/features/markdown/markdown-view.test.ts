import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, it } from 'vitest';
import { MarkdownView } from './markdown-view.js';

const render = (text: string) => renderToStaticMarkup(createElement(MarkdownView, { text }));

describe('text of a model', () => {
  it.each([
    '<script>alert(1)</script>',
    '<img src=x onerror=alert(1)>',
    '<svg onload=alert(1)></svg>',
    '<iframe src="https://example.com"></iframe>',
    '<a href="javascript:alert(1)">x</a>',
    '<form action="https://example.com"><button>x</button></form>',
    '<style>body{display:none}</style>',
    '[x](javascript:alert(1))',
    '[x](JAVASCRIPT&colon;alert(1))',
    '[x](data:text/html;base64,PHNjcmlwdD4=)',
    '[x]: javascript:alert(1)\n\n[x]',
    '<javascript:alert(1)>',
    '![x](https://example.com/pixel.png)',
    '![x](javascript:alert(1))',
    '![x][y]\n\n[y]: https://example.com/pixel.png "title"',
    '[![x](https://example.com/p.png)](javascript:alert(1))',
    '- [ ] a task',
    'www.example.com javascript:alert(1)',
    '| a |\n|---|\n| <img src=x onerror=alert(1)> |',
    'a[^1]\n\n[^1]: <script>alert(1)</script> [x](javascript:alert(1))',
  ])('runs and loads nothing: %s', (text) => {
    const html = render(`before\n\n${text}\n\nafter`);
    expect(html).toContain('before');
    expect(html).toContain('after');
    expect(html).not.toMatch(
      /<(script|img|svg|iframe|style|form|input|object|embed|link|meta|button|picture|video)\b/i,
    );
    expect(html).not.toMatch(/\son\w+=/i);
    expect(html).not.toMatch(/(href|src|action)="(?!https?:|mailto:)/i);
    expect(html).not.toMatch(/\ssrc=/i);
  });

  it('keeps a link of the web, which opens elsewhere and says where it leads', () => {
    const html = render('See [the docs](https://example.com/x).');
    expect(html).toContain('href="https://example.com/x"');
    expect(html).toMatch(/rel="noopener[^"]*"/);
    expect(html).toContain('target="_blank"');
    expect(html).toContain('(example.com)');
  });

  it('may have tables, with Markdown in their cells and no HTML', () => {
    const html = render(
      '| File | Lines |\n|:---|---:|\n| **a.ts** | 12 |\n| <b onclick="x()">b.ts</b><script>x()</script> | 3 |',
    );
    expect(html.match(/<tr>/g)).toHaveLength(3);
    expect(html).toContain('<strong>a.ts</strong>');
    expect(html).toContain('b.ts');
    expect(html).not.toMatch(/<b\b|onclick|<script/);
  });

  it('shows what is done of a list of tasks, with nothing to tick', () => {
    const html = render('- [x] read it\n- [ ] mend it');
    expect(html).toMatch(/aria-label="done">☑.*read it/);
    expect(html).toMatch(/aria-label="not done">☐.*mend it/);
    expect(html).not.toContain('<input');
  });

  it('has no headings that mix with those of the page', () => {
    const html = render('# One\n\n###### Six');
    expect(html).not.toMatch(/<h\d/);
    expect(html.match(/aria-level="4"/g)).toHaveLength(2);
  });
});
