import { isAbsolute, join } from 'node:path';
import type { ThreadId } from '@uncaged/protocol/ids';
import { Problem } from '@uncaged/protocol/problem';
import type { Command } from 'commander';
import type { CliContext } from '../context.js';
import { parseThreadId } from '../ids.js';
import { formatBytes, renderTerminalLine } from '../output/index.js';
import { command, type Options, type StoreCommandInput } from '../run-command.js';
import { writeNewFile } from './new-file.js';

/** `thread export`: a thread as a pack, whole or not at all. */
export function register(thread: Command, context: CliContext): void {
  thread
    .option('-o, --output <file>', 'where to; "-" = standard output (<thread-id>.uwfpack)')
    .option('--force', 'write over a file that is there')
    .action(
      command(context, (input, args, options) =>
        exportThread(input, parseThreadId(input.store, args[0] ?? ''), options),
      ),
    );
}

async function exportThread(input: StoreCommandInput, id: ThreadId, options: Options) {
  const { store, out, err, json, cwd, signal } = input;
  // Read only here: every other command of this group would pay for it.
  const { PACK_EXTENSION, SHA256_BYTES, writePack } = await import('../../pack/index.js');
  const given = typeof options.output === 'string' ? options.output : `${id}${PACK_EXTENSION}`;
  if (given === '') throw new Problem('invalid-argument', '--output is empty; name a file');
  if (given === '-') {
    if (json) throw new Problem('invalid-argument', '--json and -o - both want standard output');
    if (out.isTTY)
      throw new Problem(
        'invalid-argument',
        'a pack is no text: name a file with -o, or use a pipe',
      );
    for await (const chunk of writePack(store, id)) {
      if (signal.aborted)
        throw new Problem('cancelled', 'given up; what was written is no whole pack');
      out.write(chunk);
    }
    return;
  }
  const path = isAbsolute(given) ? given : join(cwd, given);
  let bytes = 0;
  let end: Uint8Array = new Uint8Array(0);
  await writeNewFile(path, counted(), { overwrite: options.force === true, signal });
  const sha256 = Buffer.from(end).toString('hex');
  if (json) out.json({ threadId: id, file: path, bytes, sha256 });
  else {
    out.line(renderTerminalLine(path));
    err.line(`${formatBytes(bytes)}; uwf cas verify checks it, uwf thread import takes it in`);
  }

  async function* counted(): AsyncGenerator<Uint8Array, void> {
    for await (const chunk of writePack(store, id)) {
      bytes += chunk.length;
      end = chunk.subarray(-SHA256_BYTES);
      yield chunk;
    }
  }
}
