import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { parseFrontmatter, readFrontmatter } from './frontmatter.js';

const meta = { $status: 'ok', count: 2 };
const plain = '---\n$status: ok\ncount: 2\n---\n# Text\n\nmore\n';

describe('readFrontmatter', () => {
  it.each(['[', '{a: '])('refuses %j nested without end instead of ending the process', (open) => {
    expect(readFrontmatter(`---\na: ${open.repeat(20_000)}\n---\n`)).toMatchObject({
      kind: 'broken',
      problem: expect.stringContaining('too deep'),
    });
  });
});

describe('parseFrontmatter', () => {
  it('reads meta and body', () => {
    expect(parseFrontmatter(plain)).toEqual({ meta, body: '# Text\n\nmore\n' });
  });

  it.each([
    ['carriage returns', plain.replaceAll('\n', '\r\n')],
    ['a byte order mark', `\uFEFF${plain}`],
    ['leading blank lines', `\n \n\t\n${plain}`],
    ['trailing blanks on the marker lines', plain.replaceAll('---\n', '--- \t\n')],
    ['thinking before it', `<think>\n---\nx: 1\n---\n</think>\n\n${plain}`],
    ['two kinds of thinking', `<THINKING>a</THINKING><reasoning>b</reasoning>\n${plain}`],
    ['a fence around all', `\`\`\`markdown\n${plain}\`\`\`\n`],
    ['a longer fence', `\`\`\`\`\n${plain}\`\`\`\`\n`],
    ['a fence of tildes', `~~~md\n${plain}~~~`],
    [
      'a fence around the frontmatter alone',
      plain.replace(/(---[\s\S]*---\n)/, '```yaml\n$1```\n'),
    ],
    ['a byte order mark, thinking and a fence', `\uFEFF<think>x</think>\n\`\`\`\n${plain}\`\`\``],
  ])('does not mind %s', (_, text) => {
    const parsed = parseFrontmatter(text);
    expect(parsed?.meta).toEqual(meta);
    expect(parsed?.body.replaceAll('\r', '').trim()).toBe('# Text\n\nmore');
  });

  it('leaves code fences of the text alone', () => {
    const text = '---\na: 1\n---\n```js\ncode\n```\n';
    expect(parseFrontmatter(text)?.body).toBe('```js\ncode\n```\n');
  });

  it('reads frontmatter without text, at the very end, and an empty one', () => {
    expect(parseFrontmatter('---\na: 1\n---')).toEqual({ meta: { a: 1 }, body: '' });
    expect(parseFrontmatter('---\n---\nx')).toEqual({ meta: {}, body: 'x' });
  });

  it.each([
    ['nothing', ''],
    ['plain text', 'hello\n---\na: 1\n---\n'],
    ['no closing line', '---\na: 1\n'],
    ['thinking that never ends', '<think>---\na: 1\n---\n'],
  ])('finds none in %s', (_, text) => {
    expect(readFrontmatter(text)).toEqual({ kind: 'none' });
  });

  it.each([
    ['a list', '- a\n- b', 'mapping'],
    ['a scalar', 'just words', 'mapping'],
    ['duplicate keys', 'a: 1\na: 2', 'YAML'],
    ['a broken quote', 'a: "x', 'YAML'],
    ['aliases', 'a: &x [1]\nb: *x', 'aliases'],
    ['an alias bomb', 'a: &a [x,x]\nb: &b [*a,*a]\nc: &c [*b,*b]\nd: [*c,*c]', 'aliases'],
    ['a prototype', '__proto__: {x: 1}', '__proto__'],
    ['infinity', 'a: .inf', 'JSON number'],
    ['too much of it', `a: ${'x'.repeat(300_000)}`, 'longer'],
    ['deep nesting', `a: ${'['.repeat(300)}${']'.repeat(300)}`, 'deeper'],
  ])('says what is wrong with %s', (_, yaml, word) => {
    const reading = readFrontmatter(`---\n${yaml}\n---\n`);
    expect(reading).toMatchObject({ kind: 'broken', problem: expect.stringContaining(word) });
  });

  it('keeps words that older YAML takes for truth values as text', () => {
    expect(parseFrontmatter('---\na: on\nb: no\nc: 2024-01-02\n---\n')?.meta).toEqual({
      a: 'on',
      b: 'no',
      c: '2024-01-02',
    });
  });

  it('reads back any JSON object that was written as frontmatter', () => {
    const key = fc.string().filter((name) => name !== '__proto__');
    const value = fc.oneof(
      fc.string(),
      fc.boolean(),
      fc.constant(null),
      fc.integer(),
      fc.array(fc.string()),
    );
    fc.assert(
      fc.property(
        fc.dictionary(key, value, { noNullPrototype: true }),
        fc.string(),
        (object, body) => {
          const parsed = parseFrontmatter(`---\n${stringify(object)}---\n${body}`);
          expect(parsed?.meta).toEqual(object);
          expect(parsed?.body).toBe(body);
        },
      ),
    );
  });

  it('takes any text without throwing', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (yaml, body) => {
        readFrontmatter(`---\n${yaml}\n---\n${body}`);
        readFrontmatter(`${yaml}${body}`);
      }),
    );
  });
});
