const NEWLINE = 10;

/** Line of a byte or character offset, from 1. */
export function lineAt(text: string | Buffer, offset: number): number {
  let line = 1;
  const end = Math.min(offset, text.length);
  if (typeof text === 'string') {
    for (let at = text.indexOf('\n'); at !== -1 && at < end; at = text.indexOf('\n', at + 1))
      line += 1;
  } else {
    for (let at = text.indexOf(NEWLINE); at !== -1 && at < end; at = text.indexOf(NEWLINE, at + 1))
      line += 1;
  }
  return line;
}

const BOM = '\ufeff';

/** File text without the byte order mark that some editors write. */
export function textOf(bytes: Buffer): string {
  const text = bytes.toString('utf8');
  return text.startsWith(BOM) ? text.slice(BOM.length) : text;
}

const TEMPLATE = /\{\{|\{%|<%|\$\{\{?[A-Z_]+\}/;

/** Text that some program fills in before it is what its name says. */
export function looksLikeTemplate(text: string): boolean {
  return TEMPLATE.test(text);
}
