import { Problem } from '@uncaged/protocol/problem';
import type { InputStream } from './context.js';

/** All of stdin, at most `maxBytes`. Throws too-large. */
export async function readStdin(stdin: InputStream, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stdin) {
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : Buffer.from(chunk);
    size += bytes.length;
    if (size > maxBytes) {
      throw new Problem('too-large', `There is more than ${maxBytes} bytes on standard input.`);
    }
    chunks.push(bytes);
  }
  return Buffer.concat(chunks);
}
