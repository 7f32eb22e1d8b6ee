/** The body of a request or an answer as its receiver reads it. What is not read keeps its sender waiting. */
export type LinkBody = AsyncIterable<Uint8Array> & {
  /**
   * The next bytes, null at the end. One call at a time. Rejects with the `Problem` that ended the stream: a body is whole
   * only when null has come.
   */
  read(): Promise<Uint8Array | null>;
  /** The whole rest when it is already here, else null: spares small bodies the waiting. */
  takeRest(): Uint8Array | null;
  /** Not interested any more: the other side is told to stop. Also what leaving a `for await` does. */
  cancel(): void;
};

/**
 * A body as a web stream that reads no further than it is asked. Its chunks are views of what the socket delivered, so it is
 * not a byte stream: that would detach their memory from the chunks beside them.
 */
export function toReadableStream(body: LinkBody): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const chunk = await body.read();
        if (chunk === null) controller.close();
        else controller.enqueue(chunk);
      },
      cancel: () => body.cancel(),
    },
    { highWaterMark: 0 },
  );
}
