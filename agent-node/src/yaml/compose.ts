import { Composer, type CST, type Document, Lexer, type LineCounter, Parser } from 'yaml';
import { OPEN_TOKENS_MAX } from './limits.js';

export type ComposeOptions = {
  /** Refuse a key that a mapping has twice; the library compares every key with every other. */
  uniqueKeys: boolean;
  /** Learns where lines begin, for positions in error texts. */
  lines?: LineCounter;
};

export type Composed =
  | { documents: Document.Parsed[] }
  /** Offset where the nesting became too deep. */
  | { tooDeepAt: number };

/**
 * YAML text → documents, at least one. Unlike the library's own `parseDocument` it stops where more is open than the
 * recursive composer can stand: deep nesting ends the whole process there, past any `catch`.
 */
export function composeYaml(text: string, { uniqueKeys, lines }: ComposeOptions): Composed {
  lines?.addNewLine(0);
  const parser = new Parser(lines?.addNewLine);
  const tokens: CST.Token[] = [];
  for (const lexeme of new Lexer().lex(text)) {
    for (const token of parser.next(lexeme)) tokens.push(token);
    if (parser.stack.length > OPEN_TOKENS_MAX) return { tooDeepAt: parser.offset };
  }
  for (const token of parser.end()) tokens.push(token);
  const composer = new Composer({ uniqueKeys });
  return { documents: [...composer.compose(tokens, true, text.length)] as Document.Parsed[] };
}
