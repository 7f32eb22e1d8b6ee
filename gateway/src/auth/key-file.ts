import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, link, open, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Problem } from '@uncaged/protocol/problem';
import { nanoid } from 'nanoid';
import { KEY_BYTES, KEY_MAX_CHARACTERS } from './limits.js';
import { makeDirectory } from './make-directory.js';

const FILE_MODE = 0o600;
const OTHERS_MODE = 0o077;
const PERMISSIONS = 0o777;
const ROOT_UID = 0;

/** What is in the file; null: there is none. Throws invalid-config when it is not private or not a file of a key's size. */
export async function readKeyFile(file: string): Promise<string | null> {
  const handle = await openToRead(file);
  if (handle === null) return null;
  try {
    const { mode, size, uid } = await checkIsFile(handle, file);
    const self = process.getuid?.();
    // Where there are no users (Windows), modes say nothing.
    if (self !== undefined) checkIsPrivate(file, { mode, uid, self });
    if (size > KEY_MAX_CHARACTERS + 1)
      throw new Problem(
        'invalid-config',
        `${file} has ${size} bytes: that is not the key of a gateway. Restore it, or remove it to have a new one made (every token becomes invalid).`,
      );
    return await handle.readFile('utf8');
  } finally {
    await handle.close();
  }
}

/**
 * Makes a key and puts it there, complete and on the disk, if there is none yet: of two that do it at once one wins, and both
 * find that one's key afterwards. Throws invalid-config, disk-full.
 */
export async function createKeyFile(file: string): Promise<void> {
  const dir = dirname(file);
  const temporary = `${file}.${nanoid()}.tmp`;
  try {
    await makeDirectory(dir);
    await writeDurably(temporary, `${randomBytes(KEY_BYTES).toString('base64url')}\n`);
    try {
      // Unlike rename, link does not replace what somebody else put there meanwhile.
      await link(temporary, file);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    } finally {
      await unlink(temporary);
    }
    await syncDirectory(dir);
  } catch (error) {
    throw cannotWrite(file, error as NodeJS.ErrnoException);
  }
}

async function openToRead(file: string): Promise<FileHandle | null> {
  try {
    // A pipe of that name must not make the start wait for a writer.
    return await open(file, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return null;
    throw new Problem(
      'invalid-config',
      `The key of the gateway cannot be read at ${file} (${code}). Make it readable for this user, or set WORKFLOW_DASHBOARD_SECRET.`,
      { cause: error },
    );
  }
}

async function checkIsFile(handle: FileHandle, file: string) {
  const stat = await handle.stat();
  if (!stat.isFile())
    throw new Problem(
      'invalid-config',
      `${file} is not a file. Move it away, or choose another directory with --data.`,
    );
  return stat;
}

function checkIsPrivate(
  file: string,
  { mode, uid, self }: { mode: number; uid: number; self: number },
): void {
  if ((mode & OTHERS_MODE) !== 0)
    throw new Problem(
      'invalid-config',
      `Other users may open ${file} (mode ${(mode & PERMISSIONS).toString(8)}), which holds the key of the gateway. Run \`chmod 600 ${file}\`; if somebody may have read it, remove it instead: a new one is made, and every token becomes invalid.`,
    );
  if (uid !== self && uid !== ROOT_UID)
    throw new Problem(
      'invalid-config',
      `${file} belongs to another user (uid ${uid}), who knows the key in it. Remove it, or choose another directory with --data.`,
    );
}

async function writeDurably(file: string, text: string): Promise<void> {
  const handle = await open(file, 'wx', FILE_MODE);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function syncDirectory(dir: string): Promise<void> {
  const handle = await open(dir, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function cannotWrite(file: string, error: NodeJS.ErrnoException): Problem {
  const isFull = error.code === 'ENOSPC' || error.code === 'EDQUOT';
  return new Problem(
    isFull ? 'disk-full' : 'invalid-config',
    `The key of the gateway cannot be written to ${file} (${error.code ?? error.message}). ${
      isFull ? 'Free some space' : 'Choose a directory that this user may write to with --data'
    }, or set WORKFLOW_DASHBOARD_SECRET.`,
    { cause: error },
  );
}
