import type { GatewaySnapshotJson, SnapshotJson } from '@uncaged/protocol/api';
import type { Serving } from './context.js';
import { machineOf } from './machines.js';

const END_OF_EVENT = '\n\n';
const NAME = /^event: (.*)$/m;
const DATA = /^data: (.*)$/m;

/**
 * The node's stream of events as a gateway's: its snapshot is that of the only node, and what follows says which node it is
 * of. Read only as fast as the reader reads, so that the node's own limits hold.
 */
export function followAll(serving: Serving, answer: Response): Response {
  if (!answer.ok || answer.body === null) return answer;
  return new Response(
    rewritten(answer.body, (block) => placed(serving, block)),
    {
      status: answer.status,
      headers: answer.headers,
    },
  );
}

function placed(serving: Serving, block: string): string {
  const name = NAME.exec(block)?.[1];
  if (name === undefined) return block;
  return block.replace(DATA, (_, data: string) => {
    const value = JSON.parse(data) as Record<string, unknown>;
    return `data: ${JSON.stringify(name === 'snapshot' ? snapshotOf(serving, value as SnapshotJson) : { ...value, node: serving.node.name })}`;
  });
}

function snapshotOf(serving: Serving, snapshot: SnapshotJson): GatewaySnapshotJson {
  return { nodes: [{ machine: machineOf(serving), snapshot }] };
}

/** Event by event. `event` gets one without the empty line at its end. */
function rewritten(
  source: ReadableStream<Uint8Array>,
  event: (block: string) => string,
): ReadableStream<Uint8Array> {
  const reader = source.getReader();
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();
  let rest = '';
  return new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        for (;;) {
          const { done, value } = await reader.read();
          if (done) {
            controller.close();
            return;
          }
          const blocks = (rest + decoder.decode(value, { stream: true })).split(END_OF_EVENT);
          rest = blocks.pop() ?? '';
          if (blocks.length === 0) continue;
          const text = blocks.map((block) => event(block) + END_OF_EVENT).join('');
          controller.enqueue(encoder.encode(text));
          return;
        }
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}
