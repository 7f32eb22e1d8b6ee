/** Gives the turn back; more than once does nothing. */
export type Turn = () => void;

export type Turns = {
  /**
   * Resolves when it is the caller's turn for this name; null when too many wait already, or when `signal` was aborted first.
   */
  take(name: string, signal: AbortSignal): Promise<Turn | null>;
};

type Waiter = (turn: Turn | null) => void;

/** One after another for each name; names do not wait for each other. */
export function createTurns(waitingMax: number): Turns {
  /** A name is in here while somebody has its turn. */
  const waiting = new Map<string, Waiter[]>();

  const passOn = (name: string) => {
    const next = waiting.get(name)?.shift();
    if (next === undefined) waiting.delete(name);
    else next(createTurn(name));
  };
  const createTurn = (name: string): Turn => {
    let over = false;
    return () => {
      if (over) return;
      over = true;
      passOn(name);
    };
  };
  const wait = (queue: Waiter[], signal: AbortSignal) =>
    new Promise<Turn | null>((resolve) => {
      const leave = () => {
        queue.splice(queue.indexOf(take), 1);
        resolve(null);
      };
      const take: Waiter = (turn) => {
        signal.removeEventListener('abort', leave);
        resolve(turn);
      };
      queue.push(take);
      signal.addEventListener('abort', leave, { once: true });
    });

  return {
    async take(name, signal) {
      if (signal.aborted) return null;
      const queue = waiting.get(name);
      let turn: Turn | null;
      if (queue === undefined) {
        waiting.set(name, []);
        turn = createTurn(name);
      } else if (queue.length < waitingMax) {
        turn = await wait(queue, signal);
      } else {
        turn = null;
      }
      if (turn === null || !signal.aborted) return turn;
      turn();
      return null;
    },
  };
}
