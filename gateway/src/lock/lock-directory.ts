import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { realpath, unlink } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Problem } from '@uncaged/protocol/problem';

const NAME_CHARACTERS = 32;

/** Held until it is released or the process dies, whatever of. */
export type DirectoryLock = { release: () => Promise<void> };

/**
 * Makes this process the only gateway that writes to a directory, which must be there. By a local socket that nobody talks to:
 * unlike a file with a pid in it, it is never left behind by a process that was killed. Throws in-use.
 */
export async function lockDirectory(directory: string): Promise<DirectoryLock> {
  const digest = createHash('sha256').update(await realpath(directory));
  const name = `uwf-gateway-${digest.digest('hex').slice(0, NAME_CHARACTERS)}`;
  // On Linux a name that no file stands for; elsewhere a file, that of a dead process is removed.
  const isAbstract = process.platform === 'linux';
  const path = isAbstract ? `\0${name}` : join(tmpdir(), `${name}.sock`);
  let server = await listen(path);
  if (server === null && !isAbstract && !(await isAnswered(path))) {
    await unlink(path);
    server = await listen(path);
  }
  if (server === null)
    throw new Problem(
      'in-use',
      `Another gateway keeps its data in ${directory}. Stop that one, or choose another directory with --data.`,
    );
  const held = server;
  held.unref();
  return {
    release: async () => {
      held.close();
      await once(held, 'close');
    },
  };
}

/** Null: somebody has it. */
async function listen(path: string): Promise<Server | null> {
  const server = createServer((socket) => socket.destroy());
  server.listen(path);
  try {
    await once(server, 'listening');
    return server;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') return null;
    throw error;
  }
}

async function isAnswered(path: string): Promise<boolean> {
  const socket = connect(path);
  try {
    await once(socket, 'connect');
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ECONNREFUSED' || code === 'ENOENT') return false;
    throw error;
  } finally {
    socket.destroy();
  }
}
