/** Tokens open at once while reading YAML; a level of nesting opens at most two. Deeper input overflows the parser's stack. */
export const OPEN_TOKENS_MAX = 600;
