import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { Hash, ThreadId } from '@uncaged/protocol/ids';
import { isDiskFull } from '../process/index.js';

export type ThreadLog = { write: (tag: string, content: string) => void; close: () => void };

/** `logs/<hash>/<threadId>.info.jsonl`: one {tag, content, timestamp} a line; opened with the first. A full disk drops lines. */
export function openThreadLog(
  root: string,
  version: Hash,
  thread: ThreadId,
  clock: () => number,
): ThreadLog {
  let file: number | null = null;

  function append(line: string): void {
    if (file === null) {
      const directory = join(root, 'logs', version);
      mkdirSync(directory, { recursive: true, mode: 0o700 });
      file = openSync(join(directory, `${thread}.info.jsonl`), 'a', 0o600);
    }
    writeSync(file, line);
  }

  return {
    write: (tag, content) => {
      try {
        append(`${JSON.stringify({ tag, content, timestamp: clock() })}\n`);
      } catch (error) {
        // What the thread does fails by itself on a full disk, or does not; its log is no reason.
        if (!isDiskFull(error)) throw error;
      }
    },
    close: () => {
      if (file !== null) closeSync(file);
      file = null;
    },
  };
}

export function threadLogFile(root: string, version: Hash, thread: ThreadId): string {
  return join(root, 'logs', version, `${thread}.info.jsonl`);
}
