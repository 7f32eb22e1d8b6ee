import { splitFrontmatter } from '../thread/index.js';

/** Two texts to be compared; `isBelowFields`: both begin with fields, which are left out and compared as such. */
export type ComparedTexts = { a: string; b: string; isBelowFields: boolean };

/** What of two texts is worth a comparison line by line. Where only one begins with fields both stay whole. */
export function textsBelowFields(a: string, b: string): ComparedTexts {
  const [ofA, ofB] = [splitFrontmatter(a), splitFrontmatter(b)];
  if (ofA === null || ofB === null) return { a, b, isBelowFields: false };
  return { a: ofA.rest, b: ofB.rest, isBelowFields: true };
}
