import { type FileHandle, open } from 'node:fs/promises';
import { LOG_CHUNK_BYTES } from './limits.js';

/** A log file as it is now, piece by piece; nothing when there is none. */
export async function logResponse(path: string): Promise<Response> {
  const file = await openIfThere(path);
  return new Response(file === null ? null : streamOf(file), {
    headers: { 'content-type': 'application/x-ndjson', 'cache-control': 'no-store' },
  });
}

function streamOf(file: FileHandle): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        const { bytesRead, buffer } = await file.read(Buffer.alloc(LOG_CHUNK_BYTES));
        if (bytesRead > 0) {
          controller.enqueue(buffer.subarray(0, bytesRead));
          return;
        }
        await file.close();
        controller.close();
      },
      cancel: () => file.close(),
    },
    { highWaterMark: 0 },
  );
}

async function openIfThere(path: string): Promise<FileHandle | null> {
  try {
    return await open(path, 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}
