import { PACK_MEDIA_TYPE, routes } from '@uncaged/protocol/api';
import { getThread } from '../executor/index.js';
import { importPack, PACK_EXTENSION, writePack } from '../pack/index.js';
import type { ApiContext } from './context.js';
import { linesResponse } from './lines-response.js';
import type { Mount } from './mount.js';

export function mountPacks(mount: Mount, { store, log, whenFree }: ApiContext): void {
  mount(routes.exportPack, ({ params: { threadId } }) => {
    getThread(store, threadId);
    return new Response(streamOf(writePack(store, threadId)), {
      headers: {
        'content-type': PACK_MEDIA_TYPE,
        // The id has letters and digits only.
        'content-disposition': `attachment; filename="${threadId}${PACK_EXTENSION}"`,
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
        'content-security-policy': "sandbox; default-src 'none'",
      },
    });
  });

  mount(routes.importPack, ({ request }) =>
    linesResponse({
      phase: 'import',
      log,
      work: async (progress, signal) => {
        const { threadId, nodes, newNodes } = await importPack(store, bodyOf(request), {
          whenFree,
          onProgress: (done) => progress(done, null),
          signal,
        });
        log('F5M2TQ8X', `took in thread ${threadId}: ${nodes} nodes, ${newNodes} of them new`);
        return { threadId, nodes, newNodes };
      },
    }),
  );
}

/** Written no faster than it is read; what fails breaks it off, so that half a pack is never taken for a whole one. */
function streamOf(chunks: AsyncGenerator<Uint8Array, void>): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        const next = await chunks.next();
        if (next.done === true) controller.close();
        else controller.enqueue(next.value);
      },
      cancel: () => void chunks.return(),
    },
    { highWaterMark: 0 },
  );
}

/**
 * The body as it comes. What is not read is not called off here: over a link that would end the exchange, with the answer that
 * says why on its way. Whoever carries the answer drops the rest after it.
 */
async function* bodyOf({ body }: Request): AsyncGenerator<Uint8Array, void> {
  if (body === null) return;
  const reader = body.getReader();
  for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value;
}
