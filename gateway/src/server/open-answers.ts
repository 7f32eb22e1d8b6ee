import type { ServerResponse } from 'node:http';
import type { Identity } from '../auth/index.js';

/** Answers that are under way, and for whom: some go on for hours, and must not outlive the token they were asked with. */
export type OpenAnswers = {
  add: (response: ServerResponse, identity: Identity) => void;
  /** Breaks off those whose token is good no more. */
  recheck: () => void;
  close: () => void;
};

/** Tokens also expire without anybody saying so: looks every `lookMs`. */
export function createOpenAnswers(
  isValid: (identity: Identity) => boolean,
  lookMs: number,
): OpenAnswers {
  const open = new Map<ServerResponse, Identity>();
  const recheck = () => {
    for (const [response, identity] of open) if (!isValid(identity)) response.destroy();
  };
  const timer = setInterval(recheck, lookMs).unref();
  // One function for all: there are thousands a second.
  function forget(this: ServerResponse): void {
    open.delete(this);
  }
  return {
    add(response, identity) {
      if (response.closed) return;
      open.set(response, identity);
      response.once('close', forget);
    },
    recheck,
    close: () => clearInterval(timer),
  };
}
