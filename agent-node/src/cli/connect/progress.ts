import type { ConnectionState } from '../../link/index.js';
import { formatDuration, type Output, renderTerminalLine } from '../output/index.js';

export type Progress = {
  state: (state: ConnectionState) => void;
  log: (tag: string, text: string) => void;
  warn: (text: string) => void;
  /** All is over: how many threads go on. */
  detached: (threads: number) => void;
  /** The terminal has gone: what is written to it would end the process. */
  mute: () => void;
};

/** Tells how the connection stands: to people on stderr, with `json` to programs on stdout, one event a line. */
export function createProgress({
  out,
  err,
  json,
  name,
}: {
  out: Output;
  err: Output;
  json: boolean;
  name: string;
}): Progress {
  let isMuted = false;
  const event = (value: { event: string; [key: string]: unknown }) => {
    if (!isMuted) out.jsonLine(value);
  };
  const line = (untrusted: string) => {
    if (!isMuted) err.line(renderTerminalLine(untrusted));
  };

  const eventOf = (state: ConnectionState) => {
    if (state.name !== 'waiting') return { event: state.name, node: name, ...without(state) };
    const { gateway, problem, delayMs } = state;
    return {
      event: 'waiting',
      node: name,
      gateway,
      code: problem.code,
      reason: problem.message,
      delayMs,
    };
  };
  const textOf = (state: ConnectionState): string | null => {
    switch (state.name) {
      case 'connected':
        return `connected to ${state.gateway} as ${name}`;
      case 'waiting':
        return `${state.problem.message} Next try in ${formatDuration(state.delayMs)}.`;
      case 'leaving':
        return state.openStreams === 0 ? null : `finishing ${requests(state.openStreams)}`;
      default:
        return null;
    }
  };

  return {
    state: (state) => {
      // What it ended with is told as an error, or by `detached`.
      if (state.name === 'ended') return;
      const text = textOf(state);
      if (json) event(eventOf(state));
      else if (text !== null) line(text);
    },
    log: (tag, text) => (json ? event({ event: 'log', tag, text }) : line(`[${tag}] ${text}`)),
    warn: (text) => (json ? event({ event: 'warning', text }) : line(`warning: ${text}`)),
    detached: (threads) => {
      if (json) event({ event: 'detached', node: name, threads });
      else if (threads === 0) line('detached; no threads are running');
      else line(`detached; ${threads === 1 ? '1 thread goes' : `${threads} threads go`} on`);
    },
    mute: () => {
      isMuted = true;
    },
  };
}

function without({ name: _, ...rest }: ConnectionState): object {
  return rest;
}

function requests(count: number): string {
  return count === 1 ? '1 request' : `${count} requests`;
}
