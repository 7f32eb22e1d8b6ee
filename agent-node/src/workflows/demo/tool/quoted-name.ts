const ESCAPES: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  t: '\t',
  n: '\n',
  v: '\v',
  f: '\f',
  r: '\r',
  '"': '"',
  '\\': '\\',
};

/**
 * A name as git prints it in line-based output (core.quotePath on): plain, or in double quotes with C escapes and
 * octal bytes. Returns its bytes as Latin-1 characters.
 */
export function unquoteName(line: string): string {
  if (!line.startsWith('"') || !line.endsWith('"') || line.length < 2) return line;
  return line
    .slice(1, -1)
    .replace(/\\([0-7]{3}|.)/gs, (_, escaped: string) =>
      escaped.length === 3
        ? String.fromCharCode(Number.parseInt(escaped, 8))
        : (ESCAPES[escaped] ?? escaped),
    );
}
