import { type FileHandle, open, rename } from 'node:fs/promises';

const FILE_MODE = 0o600;
const NEWLINE = 0x0a;

export type AppendTerms = {
  file: string;
  /** What a full file is renamed to. */
  olderFile: string;
  maxBytes: number;
};

/** Appends whole lines, begun anew when the file is full. It is opened each time, so that it may be moved away meanwhile. */
export async function appendLines(text: string, terms: AppendTerms): Promise<void> {
  const handle = await openNotFull(terms);
  try {
    // What a crash or a full disk cut off stays a line of its own.
    await handle.appendFile((await isTorn(handle)) ? `\n${text}` : text);
  } finally {
    await handle.close();
  }
}

async function openNotFull({ file, olderFile, maxBytes }: AppendTerms): Promise<FileHandle> {
  const handle = await open(file, 'a+', FILE_MODE);
  try {
    if ((await handle.stat()).size < maxBytes) return handle;
    await rename(file, olderFile);
  } catch (error) {
    await handle.close();
    throw error;
  }
  await handle.close();
  return await open(file, 'a+', FILE_MODE);
}

async function isTorn(handle: FileHandle): Promise<boolean> {
  const { size } = await handle.stat();
  if (size === 0) return false;
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(1), 0, 1, size - 1);
  return bytesRead === 1 && buffer[0] !== NEWLINE;
}
