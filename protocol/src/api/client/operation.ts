import type { z } from 'zod';
import type { FollowEnd, FollowOptions } from './follow-events.js';
import type { RouteTable } from './operations.js';
import type { GatewayMessage, NodeMessage, ThreadMessage } from './stream-message.js';
import type { UploadBody } from './upload-body.js';

type AnyRoute = RouteTable[string];

/** What a field may be given as: its own form, or a list where the route reads several from one text with commas. */
type QueryField<I, O> = I | Extract<O, readonly unknown[]> | undefined;

type Query<S extends z.ZodObject> = {
  [K in keyof z.input<S>]: QueryField<z.input<S>[K], z.output<S>[K & keyof z.output<S>]>;
};

/** A JSON answer is always read: `if-none-match` would leave nothing to read (browsers ask by it themselves). */
type Headers<R extends AnyRoute> = R['headers'] extends z.ZodObject
  ? Omit<
      z.input<R['headers']>,
      R['response']['type'] extends 'content' ? never : 'if-none-match' | 'last-event-id'
    >
  : never;

/** A part of a call: needed when one of its fields is. */
type Part<K extends string, T> = [T] extends [never]
  ? { [P in K]?: never }
  : Record<never, never> extends T
    ? { [P in K]?: T | undefined }
    : { [P in K]: T };

type BodyOf<R extends AnyRoute> = R['upload'] extends string
  ? UploadBody
  : R['body'] extends { schema: infer S extends z.ZodType }
    ? z.input<S>
    : never;

/** What a call is given. */
export type CallInput<R extends AnyRoute> = Part<
  'params',
  R['params'] extends z.ZodObject ? z.input<R['params']> : never
> &
  Part<'query', R['query'] extends z.ZodObject ? Query<R['query']> : never> &
  Part<'headers', Headers<R>> &
  Part<'body', BodyOf<R>> & {
    /** Gives the call up: it then rejects with the signal's reason. */
    signal?: AbortSignal | undefined;
  };

/** What a stream carries, by its route. */
export type MessageOf<R extends AnyRoute> = R['path'] extends `/api/threads/${string}`
  ? ThreadMessage
  : z.output<R['response']['schema']> extends { node: string }
    ? GatewayMessage
    : NodeMessage;

type FollowInput<R extends AnyRoute> = CallInput<R> &
  Omit<FollowOptions<MessageOf<R>>, 'url' | 'fetch' | 'headers' | 'decode'>;

/** What a call gives. */
export type CallAnswer<R extends AnyRoute> = R['response']['type'] extends 'json'
  ? z.output<R['response']['schema']>
  : R['response']['type'] extends 'lines'
    ? AsyncIterable<z.output<R['response']['schema']>>
    : R['response']['type'] extends 'content'
      ? Response
      : FollowEnd;

/**
 * A route as a function. `json`: the answer. `lines`: the documents as they come. `content`: the answer as it is (200, 206 or
 * 304), its body unread. `events`: follows until the stream is over (`followEvents`).
 *
 * Rejects with a `Problem`: the server's, `unreachable` (nobody answered, or the connection broke), `node-timeout`, or what
 * the status says when something else than the API answered.
 */
export type Operation<R extends AnyRoute> = R['response']['type'] extends 'events'
  ? (input: FollowInput<R>) => Promise<FollowEnd>
  : Record<never, never> extends CallInput<R>
    ? (input?: CallInput<R>) => Promise<CallAnswer<R>>
    : (input: CallInput<R>) => Promise<CallAnswer<R>>;

export type Client<T extends RouteTable> = { readonly [K in keyof T]: Operation<T[K]> };
