/** A text in two: the YAML that it begins with between two lines of `---`, these included, and what follows. */
export type SplitText = { frontmatter: string; rest: string };

const FRONTMATTER = /^\uFEFF?---[ \t]*\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n|$)/;
/** The first line that is no comment begins an object; a text between two rules of Markdown does not. */
const FIELD = /^\s*(?:#.*\r?\n\s*)*(?:\{|["']?[^\s:#"'{][^\n:]*:(?:\s|$))/;

/** Null: the text does not begin with fields in YAML, or they do not end. */
export function splitFrontmatter(text: string): SplitText | null {
  const found = FRONTMATTER.exec(text);
  if (found === null || !FIELD.test(found[1]!)) return null;
  const [frontmatter] = found;
  return { frontmatter, rest: text.slice(frontmatter.length) };
}

/**
 * A text without the YAML that it begins with: what is in there is shown as the step's meta. Text that is nothing else stays
 * as it is.
 */
export function withoutFrontmatter(text: string): string {
  const split = splitFrontmatter(text);
  return split === null || split.rest.trim() === '' ? text : split.rest;
}

/**
 * As `withoutFrontmatter`, of what a nested thread answered for a step: its summary, and below that its last answer with the
 * YAML that this began with.
 */
export function withoutInnerFrontmatter(text: string): string {
  const at = text.search(/\n\n---[ \t]*\r?\n/);
  const answer = at === -1 ? null : splitFrontmatter(text.slice(at + 2));
  return answer === null ? withoutFrontmatter(text) : `${text.slice(0, at)}\n\n${answer.rest}`;
}
