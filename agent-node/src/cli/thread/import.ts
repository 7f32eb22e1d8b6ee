import { isAbsolute, join } from 'node:path';
import type { Command } from 'commander';
import type { CliContext, InputStream } from '../context.js';
import { countText } from '../output/index.js';
import { command, type StoreCommandInput } from '../run-command.js';

/** `thread import`: takes the thread of a pack in, to be read and forked. */
export function register(thread: Command, context: CliContext): void {
  thread.action(command(context, (input, args) => importThread(input, args[0] ?? '')));
}

async function importThread(input: StoreCommandInput, file: string): Promise<void> {
  const { store, out, err, json, cwd, stdin, signal } = input;
  const { importPack, packFile } = await import('../../pack/index.js');
  const source =
    file === '-' ? bytesOf(stdin) : packFile(isAbsolute(file) ? file : join(cwd, file));
  const { threadId, nodes, newNodes, wasHere, sha256 } = await importPack(store, source, {
    signal,
  });
  if (json) {
    out.json({ threadId, nodes, newNodes, wasHere, sha256 });
    return;
  }
  out.line(threadId);
  err.line(
    wasHere
      ? 'it was here already; nothing has changed'
      : `${countText(nodes, 'node')}, ${newNodes} of them new; to go on from it: uwf thread fork ${threadId}`,
  );
}

async function* bytesOf(stdin: InputStream): AsyncGenerator<Uint8Array, void> {
  for await (const chunk of stdin) yield typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
}
