import { Problem } from '@uncaged/protocol/problem';
import { END_GRACE_MS, type ProcessEnd } from '../process/index.js';
import type { CommandConfig } from './config.js';
import { createNoiseTail } from './noise-tail.js';
import { deliverPrompt } from './prompt-delivery.js';
import { runProgram } from './run-program.js';
import { createSecretMask } from './secret-mask.js';
import { type ResolveSecret, resolveEnvironment } from './secrets.js';
import type { Agent } from './types.js';

export type CommandAgentOptions = {
  resolveSecret: ResolveSecret;
  /** What the command inherits; this process's environment unless given. */
  environment?: Readonly<Record<string, string | undefined>>;
  /** Between TERM and KILL, ms. */
  killGraceMs?: number;
};

/**
 * Any program that takes a prompt and prints its answer. Throws secret-unresolved (before anything starts),
 * agent-not-found, agent-failed (its exit code and the end of stderr), answer-empty. What it prints and says goes on
 * without its secrets.
 */
export function createCommandAgent(
  name: string,
  config: CommandConfig,
  options: CommandAgentOptions,
): Agent {
  return {
    kind: 'command',
    name,
    run: async (task) => {
      const { env, secrets } = await resolveEnvironment(
        name,
        config.env ?? {},
        options.resolveSecret,
      );
      const delivery = deliverPrompt(config, task.prompt);
      const noise = createNoiseTail();
      const answerMask = createSecretMask(secrets);
      const noiseMask = createSecretMask(secrets);
      let answered = false;
      const say = (masked: Uint8Array) => {
        if (masked.length > 0) task.onOutput(masked);
      };
      // The tail keeps masked bytes: its beginning could cut a secret, whose rest would not be known as one.
      const grumble = (masked: Uint8Array) => {
        if (masked.length === 0) return;
        noise.add(masked);
        task.onNoise(masked);
      };
      try {
        const end = await runProgram(task, {
          argv: delivery.argv,
          env: { ...(options.environment ?? process.env), ...env },
          stdin: delivery.stdin,
          graceMs: options.killGraceMs ?? END_GRACE_MS,
          onStdout: (chunk) => {
            answered ||= chunk.some(isInk);
            say(answerMask.add(chunk));
          },
          onStderr: (chunk) => grumble(noiseMask.add(chunk)),
        });
        say(answerMask.end());
        grumble(noiseMask.end());
        if (end.exitCode !== 0) throw failure(name, end, noise.quote());
        if (!answered)
          throw new Problem(
            'answer-empty',
            `agent ${name} ended with exit code 0 but printed no answer${quoted(noise.quote())}`,
          );
        return { exitCode: end.exitCode, usage: null, sessionId: null, trace: null };
      } finally {
        delivery.remove();
      }
    },
  };
}

const SPACE = 0x20;
/** Anything but white space and control characters. */
const isInk = (byte: number) => byte > SPACE;

function failure(name: string, end: ProcessEnd, noise: string): Problem {
  const how =
    end.exitCode === null
      ? `was ended by ${end.signalName}`
      : `ended with exit code ${end.exitCode}`;
  return new Problem('agent-failed', `agent ${name} ${how}${quoted(noise)}`, {
    details: { exitCode: end.exitCode, signal: end.signalName },
  });
}

function quoted(noise: string): string {
  return noise.trim() === '' ? '; it said nothing on stderr' : `; the end of its stderr:\n${noise}`;
}
