import { JSON_SCAN_MAX_DEPTH } from '../limits.js';
import { code, printable } from '../printable.js';

export type JsonDialect = {
  /** `//` and `/* *\/` comments and commas before a closing bracket. */
  relaxed: boolean;
};

export type JsonError = { offset: number; message: string };

const SPACE = /[ \t\r\n]*/y;
const COMMENT = /\/\/[^\n]*|\/\*[\s\S]*?\*\//y;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.])/y;
const WORD = /(?:true|false|null)\b/y;
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON forbids them in strings
const STRING = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;

/**
 * Finds the first error of a JSON text, or null when there is none. V8 says where an error is only in some of its
 * messages, and knows no comments.
 */
export function findJsonError(text: string, dialect: JsonDialect): JsonError | null {
  return new Scanner(text, dialect.relaxed).document();
}

type Expecting = 'value' | 'value-or-end' | 'key' | 'key-or-end' | 'separator';

/** One pass over one text; a stack of brackets instead of recursion, so that deep nesting is no danger. */
class Scanner {
  private at = 0;
  private readonly open: ('{' | '[')[] = [];

  constructor(
    private readonly text: string,
    private readonly relaxed: boolean,
  ) {}

  document(): JsonError | null {
    let expecting: Expecting = 'value';
    for (;;) {
      const gap = this.skipSpace();
      if (gap !== null) return gap;
      const inside = this.open.at(-1);
      if (inside === undefined && expecting === 'separator') return this.atEnd();
      if (this.at >= this.text.length) return this.error(this.unfinished(inside));
      const next: Expecting | JsonError = this.step(expecting, inside);
      if (typeof next === 'object') return next;
      expecting = next;
    }
  }

  private step(expecting: Expecting, inside: '{' | '[' | undefined): Expecting | JsonError {
    const char = this.text[this.at] ?? '';
    const closing = inside === '{' ? '}' : ']';
    if (expecting === 'separator') {
      if (char === ',') {
        this.at += 1;
        const orEnd = this.relaxed ? '-or-end' : '';
        return inside === '{' ? (`key${orEnd}` as Expecting) : (`value${orEnd}` as Expecting);
      }
      return char === closing
        ? this.close()
        : this.error(`\`,\` or \`${closing}\` expected, not ${this.here()}`);
    }
    if (char === closing && inside !== undefined) {
      if (expecting.endsWith('-or-end')) return this.close();
      return this.error(`a comma before \`${closing}\``);
    }
    if (expecting === 'key' || expecting === 'key-or-end') return this.key();
    return this.value(char);
  }

  private value(char: string): Expecting | JsonError {
    if (char === '{' || char === '[') {
      if (this.open.length >= JSON_SCAN_MAX_DEPTH) return this.error('nested too deeply to check');
      this.open.push(char);
      this.at += 1;
      return char === '{' ? 'key-or-end' : 'value-or-end';
    }
    if (char === '"') return this.string() ?? 'separator';
    if (this.take(NUMBER) || this.take(WORD)) return 'separator';
    return this.error(`a value expected, not ${this.here()}`);
  }

  private key(): Expecting | JsonError {
    if (this.text[this.at] !== '"')
      return this.error(`a name in double quotes expected, not ${this.here()}`);
    const wrong = this.string() ?? this.skipSpace();
    if (wrong !== null) return wrong;
    if (this.text[this.at] !== ':') return this.error(`\`:\` expected, not ${this.here()}`);
    this.at += 1;
    return 'value';
  }

  private string(): JsonError | null {
    return this.take(STRING)
      ? null
      : this.error('a text that does not end or holds a wrong escape or a line break');
  }

  private close(): Expecting {
    this.open.pop();
    this.at += 1;
    return 'separator';
  }

  private skipSpace(): JsonError | null {
    this.take(SPACE);
    while (this.text[this.at] === '/') {
      if (!this.relaxed) return this.error('a comment, which plain JSON does not allow');
      if (!this.take(COMMENT)) return this.error('a comment that does not end');
      this.take(SPACE);
    }
    return null;
  }

  private take(pattern: RegExp): boolean {
    pattern.lastIndex = this.at;
    const match = pattern.exec(this.text);
    if (match === null) return false;
    this.at += match[0].length;
    return true;
  }

  private atEnd(): JsonError | null {
    return this.at >= this.text.length
      ? null
      : this.error(`more after the end of the value: ${this.here()}`);
  }

  private unfinished(inside: '{' | '[' | undefined): string {
    if (inside === undefined) return 'nothing in it';
    return `the file ends inside of \`${inside}\``;
  }

  private here(): string {
    if (this.at >= this.text.length) return 'the end of the file';
    const rest = this.text.slice(this.at, this.at + SHOWN_CHARS).split('\n', 1)[0] ?? '';
    return code(printable(rest.trim()));
  }

  private error(message: string): JsonError {
    return { offset: this.at, message };
  }
}

/** Of the offending text; enough to recognise it. */
const SHOWN_CHARS = 16;
