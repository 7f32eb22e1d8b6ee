import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createTemplateRenderer, templateNames } from './template.js';

const render = (template: string, fields: Record<string, unknown>) =>
  createTemplateRenderer()(template, fields);

describe('a prompt template', () => {
  it.each([
    ['{{{a}}} {{a}} {{& a}}', { a: '<b> & "c"' }, '<b> & "c" <b> & "c" <b> & "c"'],
    ['{{a}}', { a: { b: [1, null] } }, '{"b":[1,null]}'],
    ['{{a.b.0.c}}', { a: { b: [{ c: 'deep' }] } }, 'deep'],
    ['[{{none}}{{a.none.b}}{{n}}]', { a: 1, n: null }, '[]'],
    ['{{zero}} {{no}}', { zero: 0, no: false }, '0 false'],
    [
      '{{#list}}- {{name}} of {{whole}}\n{{/list}}',
      { list: [{ name: 'x' }, { name: 'y' }], whole: 'w' },
      '- x of w\n- y of w\n',
    ],
    ['{{#list}}{{.}},{{/list}}', { list: ['a', { b: 1 }] }, 'a,{"b":1},'],
    ['{{^list}}none{{/list}}', { list: [] }, 'none'],
    ['{{#a}}{{b}}{{/a}}', { a: { b: 'in' }, b: 'out' }, 'in'],
  ])('%j renders as expected', (template, fields, text) => {
    expect(render(template, fields)).toBe(text);
  });

  it('sees own fields only', () => {
    const names = ['constructor', '__proto__', 'toString', 'hasOwnProperty', 'valueOf'];
    for (const name of names) {
      expect(render(`[{{${name}}}{{${name}}}{{a.${name}}}{{l.${name}}}]`, { a: {}, l: [1] })).toBe(
        '[]',
      );
      expect(render(`{{${name}}}`, JSON.parse(`{"${name}": "mine"}`))).toBe('mine');
    }
    expect(render('[{{l.map}}{{s.length}}{{#l}}{{map}}{{/l}}]', { l: [[1]], s: 'text' })).toBe(
      '[]',
    );
    expect(render('[{{f}}{{#f}}x{{/f}}]', { f: () => 'called' })).toBe('[]');
  });

  it('prints any text as it is', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(render('<{{{a}}}>', { a: text })).toBe(`<${text}>`);
      }),
    );
  });

  it('names what it needs, but not inside sections', () => {
    const template =
      '{{a}} {{{b.c}}} {{#list}}{{item}}{{.}}{{/list}}{{^gone}}{{d}}{{/gone}}{{! note }}{{> part}}';
    expect(templateNames(template)).toEqual({
      names: ['a', 'b.c', 'list', 'gone', 'd'],
      partials: ['part'],
    });
    expect(() => templateNames('{{#open}}')).toThrow();
    expect(() => templateNames('{{{open')).toThrow();
  });
});
