import { once } from 'node:events';
import { Problem } from '@uncaged/protocol/problem';
import type { Command } from 'commander';
import { parseNodeName } from './connect/options.js';
import type { CliContext } from './context.js';
import { withJson } from './program.js';
import { type CommandInput, commandWithoutStore, type Options } from './run-command.js';
import { setGarbageAside } from './set-garbage-aside.js';

const PORT_DEFAULT = '4810';
const PORT_MAX = 65_535;

export function register(serve: Command, context: CliContext): void {
  withJson(serve)
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option('--port <number>', 'port to listen on; 0 picks a free one', PORT_DEFAULT)
    .option('--name <name>', 'what this node is called (default: the name of the host)')
    .addHelpText(
      'after',
      '\nServes the API of this machine until it is stopped; threads go on without it. The first line on stdout is the URL.\nWho asks needs the token in <storage root>/serve.token, or that of UWF_SERVE_TOKEN.',
    )
    .action(commandWithoutStore(context, (input, _, options) => serveNode(input, options)));
}

async function serveNode(input: CommandInput, options: Options): Promise<void> {
  const { root, out, err, json, env, clock, signal } = input;
  await setGarbageAside(input);
  const { isLoopback, startServing } = await import('../serve/index.js');
  const host = String(options.host);
  const server = await startServing({
    root,
    host,
    port: portOf(String(options.port)),
    name: parseNodeName(options.name as string | undefined),
    labels: {},
    env,
    clock,
    log: (tag, text) => err.text(`${new Date(clock()).toISOString()} ${tag} ${text}`),
  });
  try {
    if (!isLoopback(host))
      err.line(
        `warning: ${host} can be reached from other machines, and what goes over it (the token too) is not encrypted; put a proxy with TLS in front, or use a gateway`,
      );
    const { url, tokenFile } = server;
    if (json) out.json({ url, tokenFile });
    else {
      out.line(url);
      out.text(tokenFile === null ? 'token: that of UWF_SERVE_TOKEN' : `token file: ${tokenFile}`);
    }
    if (!signal.aborted) await Promise.race([once(signal, 'abort'), server.failed]);
    const count = server.detachedThreads();
    err.line(count === 0 ? 'stopped' : `stopped; ${threads(count)} without it (uwf ps)`);
  } finally {
    await server.close();
  }
}

/** Throws invalid-argument. */
function portOf(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (port <= PORT_MAX) return port;
  throw new Problem(
    'invalid-argument',
    `--port ${JSON.stringify(text.slice(0, 40))} is not a port: give a number from 0 to ${PORT_MAX}`,
  );
}

function threads(count: number): string {
  return count === 1 ? '1 thread goes on' : `${count} threads go on`;
}
