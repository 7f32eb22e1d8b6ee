import { describe, expect, it } from 'vitest';
import { readScriptAnswer } from './script-answer.js';

const read = (wholeText: string, exitCode = 0) =>
  readScriptAnswer({ head: new Uint8Array(), tail: new Uint8Array(), wholeText, exitCode });

describe('readScriptAnswer', () => {
  it('takes frontmatter', () => {
    expect(read('---\n$status: found\nn: 2\n---\ntext', 1)).toEqual({
      meta: { $status: 'found', n: 2 },
      source: 'frontmatter',
    });
  });

  it('takes a JSON object as the last line that is not blank', () => {
    expect(read('noise\n{"not": "last"}\n  {"$status": "x", "a": {"b": 1}} \r\n\n', 7)).toEqual({
      meta: { $status: 'x', a: { b: 1 } },
      source: 'json-line',
    });
  });

  it.each([
    ['nothing', ''],
    ['text', 'hello\n'],
    ['an array', '[1]\n'],
    ['a broken object', '{"a": }\n'],
    ['an object with more behind it', '{"a": 1} done\n'],
    ['an object over several lines', '{\n"a": 1\n}\n'],
    ['a prototype', '{"__proto__": {"a": 1}}\n'],
    ['frontmatter that is no mapping', '---\n- a\n---\n'],
    ['NULs', '\0\0\0'],
  ])('goes by the exit code for %s', (_, text) => {
    expect(read(text)).toEqual({ meta: { $status: 'ok' }, source: 'exit-code' });
    expect(read(text, 3)).toEqual({ meta: { $status: 'failed' }, source: 'exit-code' });
  });

  it.each([
    [
      'a message with an unquoted colon',
      '---\n$status: failed\nwhy: no: colon\n---\n',
      /not valid YAML/,
    ],
    [
      'a message with an unescaped quote',
      '{"$status": "failed", "why": "no "quote""}\n',
      /not valid JSON/,
    ],
    [
      'a number that is none',
      'x\n{"$status": "failed", "n": 1e400}\n',
      /Infinity is not a JSON number/,
    ],
    ['a prototype', '{"$status": "failed", "__proto__": {}}', /__proto__/],
  ])('does not go by the exit code for an answer with a status and %s', (_, text, problem) => {
    expect(read(text)).toEqual({ source: 'broken', problem: expect.stringMatching(problem) });
  });

  it('finds answers in the head and the tail of an output that is not held whole', () => {
    const bytes = (text: string) => Buffer.from(text);
    const none = bytes('x\n');
    expect(
      readScriptAnswer({
        head: bytes('---\na: 1\n---\nlong'),
        tail: none,
        wholeText: null,
        exitCode: 0,
      }),
    ).toMatchObject({ meta: { a: 1 } });
    // The tail may begin in the middle of a character and of a line.
    const tail = Buffer.concat([bytes('é').subarray(1), bytes('"}\n{"b": 2}\n')]);
    expect(readScriptAnswer({ head: none, tail, wholeText: null, exitCode: 0 })).toMatchObject({
      meta: { b: 2 },
    });
  });
});
