/** The first lines of a text, and of them the first characters; the text itself when that is all of it. Cuts no character in two. */
export function cutText(
  text: string,
  { characters, lines }: { characters: number; lines: number },
): string {
  let end = -1;
  for (let line = 0; line < lines; line++) {
    end = text.indexOf('\n', end + 1);
    if (end === -1) break;
  }
  const cut = text.slice(0, end === -1 ? undefined : end);
  // A line break at the very end hides nothing.
  const kept = cut.length + 1 >= text.length ? text : cut;
  if (kept.length <= characters) return kept;
  const last = kept.charCodeAt(characters - 1);
  const isHalf = last >= 0xd800 && last <= 0xdbff;
  return kept.slice(0, isHalf ? characters - 1 : characters);
}
