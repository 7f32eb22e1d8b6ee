import { createLineReader } from '../log/line-reader.js';
import { parseRecord, recordLine } from '../log/log-record.js';
import type { Output } from '../output/index.js';

/** Records of a thread's debug log as they appear; lines that are no records are passed over. */
export function createDebugLog(file: string, out: Output): { print: () => void } {
  const reader = createLineReader(file);
  return {
    print: () =>
      reader.read((line) => {
        const record = parseRecord(line);
        if (record !== null) out.line(out.colors.debug(recordLine(record)));
      }, false),
  };
}
