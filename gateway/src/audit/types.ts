import type { AuditRecord } from '@uncaged/protocol/api';

/** The gateway's own log of what was changed or refused through it: `audit.jsonl`, a record a line, append only. */
export type Audit = {
  /** Never throws: a full disk is told in the log, and the work goes on. Written in order, without waiting. */
  record: (record: Omit<AuditRecord, 'at'>) => void;
  /** Newest first; `cursor` and `nextCursor` are byte offsets of the file. Damaged lines are left out. */
  page: (query: {
    limit: number;
    cursor?: string | undefined;
  }) => Promise<{ items: AuditRecord[]; nextCursor: string | null }>;
  /** Newest first, down to those at `at` (ms since epoch), also from before the file was last begun anew. */
  since: (at: number) => AsyncGenerator<AuditRecord>;
  /** Until all of it is written. */
  close: () => Promise<void>;
};
