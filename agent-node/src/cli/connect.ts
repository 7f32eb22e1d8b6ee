import { join } from 'node:path';
import { Problem } from '@uncaged/protocol/problem';
import type { Command } from 'commander';
import { authorizePrincipal } from '../api/index.js';
import { VERSION } from '../executor/index.js';
import { connectNode, readLinkLimits } from '../link/index.js';
import { openNodeService } from '../service/index.js';
import { acquireLock } from '../store/index.js';
import { parseAllow, parseGateways, parseLabels, parseNodeName } from './connect/options.js';
import { createProgress } from './connect/progress.js';
import { readNodeToken } from './connect/token.js';
import type { CliContext } from './context.js';
import { withJson } from './program.js';
import { commandWithoutStore, type Options } from './run-command.js';
import { setGarbageAside } from './set-garbage-aside.js';

export function register(connect: Command, context: CliContext): void {
  withJson(connect)
    .option('--gateway <url>', 'address of the gateway; repeatable: the next one is tried', collect)
    .option('--name <name>', 'what this node is called; default: the name of the host')
    .option('--labels <k=v,…>', 'what it can be chosen by, for example os=linux', collect)
    .option('--allow <list>', 'what others may do here: read,control,run (default), publish')
    .option('--token-file <file>', 'file with its token; else UWF_NODE_TOKEN is taken')
    .option('--insecure', 'use http:// to another machine')
    .addHelpText(
      'after',
      `
Its token: --token-file, else UWF_NODE_TOKEN, else (a first try on one machine) the gateway's key in WORKFLOW_DASHBOARD_SECRET.
HTTPS_PROXY, HTTP_PROXY and NO_PROXY are followed; NODE_EXTRA_CA_CERTS names a file with further certificate authorities.`,
    )
    .action(
      commandWithoutStore(context, async (input, _args, options) => {
        const { json, out, err, env, clock } = input;
        const gateways = parseGateways(listOf(options.gateway), options.insecure === true);
        const name = parseNodeName(textOf(options, 'name'));
        const labels = parseLabels(listOf(options.labels));
        const allow = parseAllow(textOf(options, 'allow'));
        const progress = createProgress({ out, err, json, name });
        const { log, warn } = progress;
        const file = textOf(options, 'tokenFile');
        const token = readNodeToken({ file, env, cwd: () => input.cwd, warn });
        const limits = readLinkLimits(env);

        await setGarbageAside(input);
        const service = await openNodeService({
          ...{ root: input.root, name, labels, allow, env, clock, log },
          authorize: authorizePrincipal(allow),
        });
        try {
          const lock = await acquireLock(join(service.store.root, 'node.lock'), inUse);
          const leaving = leaveBy(input.signal, progress.mute);
          try {
            const ending: { problem: Problem | null } = { problem: null };
            void service.ended.then((problem) => {
              ending.problem = problem;
              leaving.abort();
            });
            const { app } = service.api;
            const { signal } = leaving;
            await connectNode({
              ...{ gateways, token, name, labels, allow, app, limits, log, signal },
              version: VERSION,
              onState: progress.state,
            });
            if (ending.problem !== null) throw ending.problem;
            progress.detached(service.detachedThreads());
          } finally {
            leaving.release();
            lock.release();
          }
        } finally {
          await service.close();
        }
      }),
    );
}

/** Ctrl-C, TERM, and HUP of a terminal that is closed; `abort` for other reasons. */
function leaveBy(interruption: AbortSignal, hungUp: () => void) {
  const leaving = new AbortController();
  const abort = () => leaving.abort();
  const hangUp = () => {
    hungUp();
    abort();
  };
  interruption.addEventListener('abort', abort, { once: true });
  process.on('SIGHUP', hangUp);
  if (interruption.aborted) abort();
  return {
    signal: leaving.signal,
    abort,
    release: () => {
      interruption.removeEventListener('abort', abort);
      process.off('SIGHUP', hangUp);
    },
  };
}

function inUse(pid: number | null): Problem {
  const who = pid === null ? 'another process' : `process ${pid}`;
  return new Problem(
    'in-use',
    `already connected as ${who}: one \`uwf connect\` per store. Give that one several --gateway, or stop it first`,
    { details: { pid } },
  );
}

function collect(value: string, earlier: string[] = []): string[] {
  return [...earlier, value];
}

function listOf(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

function textOf(options: Options, name: string): string | undefined {
  const value = options[name];
  return typeof value === 'string' ? value : undefined;
}
