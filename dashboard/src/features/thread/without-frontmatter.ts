/**
 * A text without the YAML that it begins with between two lines of `---`: what is in there is shown as the step's meta. Text
 * that is nothing else stays as it is.
 */
export function withoutFrontmatter(text: string): string {
  const found = /^\uFEFF?---[ \t]*\r?\n[\s\S]*?\r?\n---[ \t]*(?:\r?\n|$)/.exec(text);
  if (found === null) return text;
  const rest = text.slice(found[0].length);
  return rest.trim() === '' ? text : rest;
}
