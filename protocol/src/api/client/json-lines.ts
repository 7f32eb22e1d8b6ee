import { Problem } from '../../problem/index.js';
import { CLIENT_LIMITS } from './limits.js';

/**
 * The documents of a stream of JSON lines, as they come; the last line may lack its end. Whoever stops early cancels the
 * body. Throws `internal` for a line that is not JSON, `too-large` for one that is too long, and what reading throws.
 */
export async function* readJsonLines(
  body: ReadableStream<Uint8Array>,
  what: string,
): AsyncGenerator<unknown, void, undefined> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  let ended = false;
  try {
    while (!ended) {
      const { done, value } = await reader.read();
      ended = done;
      const text = done ? `${decoder.decode()}\n` : decoder.decode(value, { stream: true });
      const lines = text.split('\n');
      lines[0] = rest + lines[0];
      rest = lines.pop() ?? '';
      if (rest.length > CLIENT_LIMITS.lineMaxCharacters) throw tooLong(what);
      for (const line of lines) if (line.trim() !== '') yield parseLine(line, what);
    }
  } finally {
    // An error that broke the stream has been thrown already; cancelling then only says it again.
    if (!ended) await reader.cancel().catch(() => undefined);
  }
}

function parseLine(line: string, what: string): unknown {
  try {
    return JSON.parse(line);
  } catch (cause) {
    throw new Problem(
      'internal',
      `${what} sent a line that is not JSON: “${line.slice(0, CLIENT_LIMITS.quoteMaxCharacters)}”. Ask again; if it stays, the versions do not fit.`,
      { cause },
    );
  }
}

function tooLong(what: string): Problem {
  return new Problem(
    'too-large',
    `${what} sent a line of more than ${CLIENT_LIMITS.lineMaxCharacters} characters. Look at what is between this client and the server.`,
  );
}
