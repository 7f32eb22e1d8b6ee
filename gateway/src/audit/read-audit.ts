import { type FileHandle, open } from 'node:fs/promises';
import { type AuditRecord, auditRecordSchema } from '@uncaged/protocol/api';
import { linesBackwards } from './lines-backwards.js';

export type Placed = { start: number; record: AuditRecord };

/**
 * The records of a file that lie before byte `before` (null: all), newest first. Damaged lines are left out: a torn last one, or a
 * beginning in the middle of a line. None when there is no file, or it ends before `before`: it was begun anew since.
 */
export async function* recordsBackwards(
  file: string,
  before: number | null,
): AsyncGenerator<Placed> {
  const handle = await openIfThere(file);
  if (handle === null) return;
  try {
    const { size } = await handle.stat();
    if (before !== null && before > size) return;
    for await (const { start, bytes } of linesBackwards(handle, before ?? size)) {
      const record = parse(bytes.toString('utf8'));
      if (record !== null) yield { start, record };
    }
  } finally {
    await handle.close();
  }
}

async function openIfThere(file: string): Promise<FileHandle | null> {
  try {
    return await open(file, 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

function parse(line: string): AuditRecord | null {
  try {
    return auditRecordSchema.safeParse(JSON.parse(line)).data ?? null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
