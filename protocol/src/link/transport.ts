/**
 * What a link runs over: whole messages, in order, both ways. A WebSocket is one (`createSocketTransport`), a pair in memory
 * another (`createMemoryPair`). Whoever makes a link gives its transport away: the link closes it.
 */
export type Transport = {
  /**
   * Hands messages over, in order and as one write where it can. `flushed` is called once they have left the process; from
   * then on their memory is used again.
   */
  send(messages: readonly Uint8Array[], flushed: () => void): void;
  /** Names the one receiver of messages; called again, the later one takes over at once. */
  onMessage(receive: (message: Uint8Array) => void): void;
  /** Names who is told, once, that nothing will come any more; `reason` is for people. */
  onClose(closed: (reason: string) => void): void;
  /** Ends it in order: what was sent still arrives. `status` is a WebSocket close code. */
  close(status: number, reason: string): void;
  /** Ends it now: the other side is dead. */
  terminate(): void;
};

/** WebSocket close codes a link uses (RFC 6455, 7.4.1). */
export const CLOSE_NORMAL = 1000;
export const CLOSE_PROTOCOL_ERROR = 1002;
