import { createNodeClient, type StepJson } from '@uncaged/protocol/api';
import { STEP_PAGE_ROWS } from '../limits.js';

export type StepPage = { items: StepJson[]; nextCursor: string | null };

/** Steps of a thread in order, every attempt. */
export function listSteps(
  node: string,
  id: string,
  cursor: string | null,
  signal?: AbortSignal,
): Promise<StepPage> {
  return createNodeClient({ node }).listThreadSteps({
    params: { id },
    query: { limit: STEP_PAGE_ROWS, cursor: cursor ?? undefined },
    signal,
  });
}

/** Where the whole text of a step is, for a link that downloads. */
export function contentPath(node: string, hash: string): string {
  return `/api/nodes/${encodeURIComponent(node)}/steps/${encodeURIComponent(hash)}/content`;
}

/** `from`: the byte that the text begins at; `size`: bytes of all of it. */
export type Content = { text: string; size: number; from: number };

/** The last `bytes` of a step's text; a character that was cut at its beginning is left out. */
export async function getContentTail(
  node: string,
  hash: string,
  bytes: number,
  signal?: AbortSignal,
): Promise<Content> {
  const query = { tail: bytes };
  const response = await createNodeClient({ node }).getStepContent({
    params: { hash },
    query,
    signal,
  });
  const body = new Uint8Array(await response.arrayBuffer());
  const size = sizeOf(response.headers.get('content-range')) ?? body.length;
  const from = size - body.length;
  return { text: decodeFrom(body, from > 0), size, from };
}

/** A step's text from its beginning to its end. */
export async function getContent(
  node: string,
  hash: string,
  signal?: AbortSignal,
): Promise<Content> {
  const response = await createNodeClient({ node }).getStepContent({ params: { hash }, signal });
  const body = new Uint8Array(await response.arrayBuffer());
  return { text: decodeFrom(body, false), size: body.length, from: 0 };
}

/** `bytes 100-199/200` → 200. */
export function sizeOf(contentRange: string | null): number | null {
  const total = contentRange?.split('/')[1] ?? '';
  return /^\d+$/.test(total) ? Number(total) : null;
}

/** `cut`: the bytes may begin in the middle of a character, which is dropped. */
export function decodeFrom(bytes: Uint8Array, cut: boolean): string {
  let start = 0;
  if (cut) while (start < 3 && ((bytes[start] ?? 0) & 0xc0) === 0x80) start += 1;
  return new TextDecoder().decode(bytes.subarray(start));
}
