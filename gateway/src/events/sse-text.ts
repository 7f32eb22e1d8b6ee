/** A comment: first bytes of a stream, and a sign of life later. */
export const SSE_COMMENT = Buffer.from(': \n\n');

/** An event as it goes to every follower: encoded once. */
export function sseBytes(type: string, data: unknown, id: string | null = null): Buffer {
  const idLine = id === null ? '' : `id: ${id}\n`;
  return Buffer.from(`event: ${type}\n${idLine}data: ${JSON.stringify(data)}\n\n`);
}
