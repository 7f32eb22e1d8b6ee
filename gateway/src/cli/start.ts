import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { Problem } from '@uncaged/protocol/problem';
import type { Command } from 'commander';
import { pino } from 'pino';
import { loadKey } from '../auth/index.js';
import { readLimits } from '../limits.js';
import type { Log } from '../log.js';
import { startGateway } from '../server/index.js';
import type { CliContext } from './context.js';

const PORT_DEFAULT = '4800';
const PORT_MAX = 65_535;
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
const EXIT_INTERRUPTED = 130;

type StartOptions = {
  host: string;
  port: string;
  data?: string;
  tlsCert?: string;
  tlsKey?: string;
  publicUrl?: string;
  trustProxy?: boolean;
  json?: boolean;
};

export function registerStart(
  program: Command,
  context: CliContext,
  outcome: { exitCode: number },
): void {
  program
    .command('start')
    .description('start the gateway; it runs until Ctrl-C or TERM')
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option('--port <number>', 'port to listen on; 0 picks a free one', PORT_DEFAULT)
    .option('--data <directory>', 'where it keeps its key and what it knows (~/.uncaged/gateway)')
    .option('--tls-cert <file>', 'certificate chain, PEM; with --tls-key')
    .option('--tls-key <file>', 'private key, PEM; with --tls-cert')
    .option('--public-url <url>', 'how browsers and nodes reach it, behind a proxy')
    .option('--trust-proxy', 'believe X-Forwarded-For of the proxy in front')
    .option('--json', 'say where it is as JSON')
    .action(async (options: StartOptions) => {
      await start(context, options);
      outcome.exitCode = 0;
    });
}

/** Resolves when the gateway has ended. */
async function start({ env, stdout, stderr }: CliContext, options: StartOptions): Promise<void> {
  const dataDir = dataDirectory(options.data);
  const key = await loadKey({ dataDir, env });
  const gateway = await startGateway({
    host: options.host,
    port: readPort(options.port),
    dataDir,
    key,
    tls: await readTls(options),
    publicUrl: readPublicUrl(options.publicUrl),
    trustProxy: options.trustProxy === true,
    limits: readLimits(env),
    log: createLog(),
  });
  const keyFile = key.file;
  if (options.tlsCert === undefined && !isLoopback(options.host) && options.publicUrl === undefined)
    stderr.write(
      `warning: ${options.host} can be reached by other machines, and plain http shows tokens to everyone between. Use --tls-cert and --tls-key, or a proxy with TLS and --public-url.\n`,
    );
  if (options.json === true) stdout.write(`${JSON.stringify({ url: gateway.url, keyFile })}\n`);
  else {
    stdout.write(`${gateway.url}\n`);
    stderr.write(
      keyFile === null
        ? 'Log in with the key in WORKFLOW_DASHBOARD_SECRET, or a token made by `uwf-gateway token`.\n'
        : `Log in with the key in ${keyFile}, or a token made by \`uwf-gateway token\`.\n`,
    );
  }
  await untilTold();
  if (options.json !== true) stderr.write('Closing; nodes go on by themselves.\n');
  await gateway.close();
}

/** The directory of `--data`, absolute; throws invalid-argument where there is no home. */
export function dataDirectory(given: string | undefined): string {
  if (given !== undefined && given !== '') return resolve(given);
  const home = homedir();
  if (home === '')
    throw new Problem('invalid-argument', 'There is no home directory; say where with --data.');
  return join(home, '.uncaged', 'gateway');
}

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|::1)$/i;

function isLoopback(host: string): boolean {
  return LOOPBACK.test(host);
}

function readPort(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (port <= PORT_MAX) return port;
  throw new Problem('invalid-argument', `--port ${text}: a port is a number up to ${PORT_MAX}.`);
}

async function readTls({ tlsCert, tlsKey }: StartOptions) {
  if (tlsCert === undefined && tlsKey === undefined) return null;
  if (tlsCert === undefined || tlsKey === undefined)
    throw new Problem('invalid-argument', '--tls-cert and --tls-key belong together; give both.');
  return { cert: await readPem(tlsCert), key: await readPem(tlsKey) };
}

async function readPem(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    const why = (error as NodeJS.ErrnoException).code ?? 'unknown';
    throw new Problem('invalid-argument', `The file ${file} cannot be read (${why}).`, {
      cause: error,
    });
  }
}

function readPublicUrl(text: string | undefined): URL | null {
  if (text === undefined) return null;
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol) || url.pathname !== '/' || url.username)
    throw new Problem(
      'invalid-argument',
      `--public-url ${text}: write it as https://flow.example, without a path.`,
    );
  return url;
}

/** JSON lines on stderr. */
function createLog(): Log {
  const logger = pino(
    { base: null, timestamp: pino.stdTimeFunctions.isoTime },
    pino.destination(2),
  );
  return (tag, text) => logger.info({ tag }, text);
}

/** Ctrl-C, TERM or a closed terminal; the second one ends the process at once. */
function untilTold(): Promise<void> {
  return new Promise((resolve) => {
    let told = false;
    for (const signal of SIGNALS)
      process.on(signal, () => {
        if (told) process.exit(EXIT_INTERRUPTED);
        told = true;
        resolve();
      });
  });
}
