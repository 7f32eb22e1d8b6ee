import { describe, expect, it } from 'vitest';
import { relativeLinks } from './markdown-links.js';

const targets = (text: string) => relativeLinks(text).map((link) => link.target);

describe('relativeLinks', () => {
  it('finds inline links, images and definitions with their lines', () => {
    const text =
      'see [a](docs/a.md "title") and ![b](<img/b c.png>)\n\n[ref]: ../r.md\n[x](f(1).md)';
    expect(relativeLinks(text)).toEqual([
      { line: 1, target: 'docs/a.md' },
      { line: 1, target: 'img/b c.png' },
      { line: 3, target: '../r.md' },
      { line: 4, target: 'f(1).md' },
    ]);
  });

  it('drops anchors, queries and percent signs, and keeps names as bytes', () => {
    expect(targets('[a](a%20b.md#top) [b](b.md?raw=1) [c](%C3%A9.md) [d](é.md)')).toEqual([
      'a b.md',
      'b.md',
      '\u00c3\u00a9.md',
      '\u00c3\u00a9.md',
    ]);
  });

  it('ignores other places, code, comments, placeholders and prose', () => {
    const text = [
      '[a](https://e.org/x.md) [b](mailto:x@y.z) [c](#top) [d](/site/page.md)',
      '`[e](e.md)` and ``[f](`f.md`)``',
      '```md',
      '[g](g.md)',
      '```',
      '~~~',
      '[h](h.md)',
      '~~~',
      '<!-- [i](i.md)',
      '[j](j.md) -->',
      '[k](<name>.md) [l]({{x}}.md) array[i](x)',
      '[^1]: note.md',
    ].join('\n');
    expect(targets(text)).toEqual([]);
  });

  it('is quick on lines made to be slow', () => {
    expect(
      targets(`${'`'.repeat(9_000)}\n${'](('.repeat(3_000)}\n${'[a]( '.repeat(1_900)}`),
    ).toEqual([]);
  });
});
