import { connect } from 'node:net';

/** A server that neither answers nor closes within this is stuck. */
const CLOSE_MAX_MS = 10_000;

export type RawAnswer = {
  /** 0: nothing that looks like HTTP came. */
  status: number;
  head: string;
  body: string;
  text: string;
};

/**
 * Sends bytes as they are and gives what came until the server closed the connection; rejects when it does not. Clients of HTTP
 * tidy up what they are given, a hostile one does not.
 */
export function sendRaw(port: number, bytes: string | Uint8Array): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    const timer = setTimeout(() => {
      socket.destroy();
      const shown = JSON.stringify(Buffer.from(bytes).toString('latin1').slice(0, 200));
      reject(new Error(`not closed within ${CLOSE_MAX_MS} ms: ${shown}: ${textOf(chunks)}`));
    }, CLOSE_MAX_MS);
    socket.on('data', (chunk) => chunks.push(chunk));
    // A reset after the answer is a close like another one.
    socket.on('error', () => undefined);
    socket.on('end', () => socket.end());
    socket.on('close', () => {
      clearTimeout(timer);
      const text = textOf(chunks);
      const end = text.indexOf('\r\n\r\n');
      const head = end < 0 ? text : text.slice(0, end);
      const body = end < 0 ? '' : text.slice(end + 4);
      resolve({
        status: Number(/^HTTP\/1\.1 (\d{3}) /.exec(text)?.[1] ?? 0),
        head,
        body: /\r\ntransfer-encoding: *chunked/i.test(head) ? joined(body) : body,
        text,
      });
    });
    socket.write(bytes);
  });
}

/** A body that came in pieces, each after its length (RFC 9112 7.1), as far as it came. */
function joined(pieces: string): string {
  let body = '';
  for (let at = 0; ; ) {
    const end = pieces.indexOf('\r\n', at);
    const size = end < 0 ? 0 : Number.parseInt(pieces.slice(at, end), 16);
    if (!(size > 0)) return body;
    body += pieces.slice(end + 2, end + 2 + size);
    at = end + 2 + size + 2;
  }
}

function textOf(chunks: readonly Buffer[]): string {
  return Buffer.concat(chunks).toString('latin1');
}

/** One request as text, after whose answer the connection is closed. */
export function requestText(
  line: string,
  port: number,
  headers: readonly string[] = [],
  body = '',
): string {
  return [line, `Host: 127.0.0.1:${port}`, 'Connection: close', ...headers, '', body].join('\r\n');
}
