import type { IncomingRequest, RequestHandler, Respond } from '@uncaged/protocol/link';

const CHUNK_BYTES = 10_000;

/** Bytes that show where they belong: of one seed, at one offset. */
export function patternAt(seed: number, offset: number, size: number): Uint8Array {
  const bytes = new Uint8Array(size);
  for (let i = 0; i < size; i += 1) bytes[i] = (seed * 31 + (offset + i) * 7) & 0xff;
  return bytes;
}

export function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

/** Resolves when the signal is aborted. */
export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

/** A node for tests: what it does is said by the path. */
export function createTestNode(): { handler: RequestHandler; seen: string[] } {
  const seen: string[] = [];
  const routes: Record<string, (request: IncomingRequest, respond: Respond, n: number) => unknown> =
    {
      '/small': (request, respond) => {
        const writer = respond({ status: 200, headers: [['x-path', request.path]], end: false });
        void writer.write(bytesOf(request.path));
        writer.end();
      },
      '/echo': async (request, respond) => {
        const writer = respond({ status: 200, headers: [], end: false });
        for await (const chunk of request.body ?? []) await writer.write(chunk);
        writer.end();
      },
      '/bytes': async (_request, respond, n) => {
        const writer = respond({ status: 200, headers: [], end: false });
        for (let at = 0; at < n; at += CHUNK_BYTES) {
          await writer.write(patternAt(1, at, Math.min(CHUNK_BYTES, n - at)));
        }
        writer.end();
      },
      '/collect': async (request, respond) => {
        let size = 0;
        for await (const chunk of request.body ?? []) size += chunk.byteLength;
        const writer = respond({ status: 200, headers: [], end: false });
        await writer.write(bytesOf(String(size)));
        writer.end();
      },
      '/hang': async (request) => {
        await aborted(request.signal);
        throw request.signal.reason;
      },
      '/open': async (request, respond) => {
        const writer = respond({ status: 200, headers: [], end: false });
        await writer.write(bytesOf('begun'));
        await aborted(request.signal);
      },
      '/too-large': (_request, respond) => {
        respond({ status: 413, headers: [], end: true });
      },
      '/crash': () => {
        throw new Error('a bug of the handler');
      },
    };
  return {
    seen,
    async handler(request, respond) {
      const { pathname, searchParams } = new URL(request.path, 'http://node');
      seen.push(request.path);
      const route = routes[pathname];
      if (route === undefined) respond({ status: 404, headers: [], end: true });
      else await route(request, respond, Number(searchParams.get('n')));
    },
  };
}
