import { createGatewayClient, type FollowState, type GatewayMessage } from '@uncaged/protocol/api';

export type StreamSink = {
  message: (message: GatewayMessage) => void;
  /** It broke or cannot be had; it is tried again by itself. */
  broken: (why: string) => void;
  loggedOut: () => void;
};

/** Opens the stream of everything with the live text of some threads. Returns what closes it for good. */
export type OpenStream = (threads: string[], sink: StreamSink) => () => void;

export const openGatewayStream: OpenStream = (threads, sink) => {
  const closing = new AbortController();
  const onState = (state: FollowState): void => {
    if (state.state === 'waiting') sink.broken(state.problem.message);
    if (state.state !== 'ended' || state.end.reason !== 'refused') return;
    const { problem } = state.end;
    if (problem.status === 401) sink.loggedOut();
    else sink.broken(problem.message);
  };
  createGatewayClient()
    .followAll({
      query: threads.length === 0 ? {} : { threads },
      signal: closing.signal,
      onEvent: (message) => {
        if (!closing.signal.aborted) sink.message(message);
      },
      onState,
    })
    .catch((error: unknown) => sink.broken(String(error)));
  return () => closing.abort();
};
