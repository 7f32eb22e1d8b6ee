import type { Duplex } from 'node:stream';
import { problemAnswer } from '@uncaged/protocol/http';
import type { LinkClock } from '@uncaged/protocol/link';
import { type Problem, problemCodes } from '@uncaged/protocol/problem';

/**
 * Answers a request for an upgrade with a problem and ends the socket. Whoever does not close its end within `limitMs` is cut
 * off; until then what it sends is read and dropped, as a reset would take the answer away from it.
 */
export function refuseUpgrade(
  socket: Duplex,
  problem: Problem,
  clock: LinkClock,
  limitMs: number,
): void {
  if (socket.destroyed) return;
  const callOff = clock.after(limitMs, () => socket.destroy());
  socket.once('close', callOff);
  socket.resume();
  socket.end(responseOf(problem));
}

function responseOf(problem: Problem): string {
  const { status, headers, body } = problemAnswer(problem);
  const lines = [
    `HTTP/1.1 ${status} ${problemCodes[problem.code].title}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
  ];
  return `${lines.join('\r\n')}\r\n\r\n${body}`;
}
