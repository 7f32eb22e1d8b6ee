import { join, parse } from 'node:path';
import { type AuditRecord, toTime } from '@uncaged/protocol/api';
import { nodeNameSchema } from '@uncaged/protocol/ids';
import type { Log } from '../log.js';
import { createAuditWriter } from './audit-writer.js';
import { FILE_MAX_BYTES, TEXT_MAX_CHARACTERS } from './limits.js';
import { recordsBackwards } from './read-audit.js';
import type { Audit } from './types.js';

/** A first page begins at the end of the file. */
const FROM_END = null;

/**
 * The audit in `file`, which need not exist. Full, it is renamed (`audit.jsonl` → `audit.1.jsonl`, replacing the one before) and
 * begun anew; pages end with the file they began in, and a cursor from before shows nothing once the file is shorter than it.
 */
export function createAudit({
  file,
  clock,
  log,
  maxBytes = FILE_MAX_BYTES,
}: {
  file: string;
  /** ms since epoch */
  clock: () => number;
  log: Log;
  maxBytes?: number;
}): Audit {
  const olderFile = olderOf(file);
  const writer = createAuditWriter({ file, olderFile, maxBytes, clock, log });
  return {
    record: (record) => writer.add(JSON.stringify({ at: toTime(clock()), ...shortened(record) })),
    async page({ limit, cursor }) {
      await writer.flush();
      const items: AuditRecord[] = [];
      const before = cursor === undefined ? FROM_END : Number(cursor);
      let start = 0;
      for await (const placed of recordsBackwards(file, before)) {
        items.push(placed.record);
        start = placed.start;
        if (items.length >= limit) break;
      }
      const isCut = items.length >= limit && start > 0;
      return { items, nextCursor: isCut ? String(start) : null };
    },
    async *since(at) {
      await writer.flush();
      for (const one of [file, olderFile]) {
        for await (const { record } of recordsBackwards(one, FROM_END)) {
          if (Date.parse(record.at) < at) return;
          yield record;
        }
      }
    },
    close: writer.flush,
  };
}

function olderOf(file: string): string {
  const { dir, name, ext } = parse(file);
  return join(dir, `${name}.1${ext}`);
}

/** Paths come from strangers; a record must stay a line that is read again. */
function shortened(record: Omit<AuditRecord, 'at'>): Omit<AuditRecord, 'at'> {
  const cut = (text: string) => text.slice(0, TEXT_MAX_CHARACTERS).toWellFormed();
  return {
    role: record.role,
    name: cut(record.name),
    address: cut(record.address),
    action: cut(record.action),
    node: nodeNameSchema.safeParse(record.node).success ? record.node : null,
    thread: record.thread === null ? null : cut(record.thread),
    status: record.status,
  };
}
