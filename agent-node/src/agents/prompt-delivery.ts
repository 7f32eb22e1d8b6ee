import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Problem } from '@uncaged/protocol/problem';
import { isDiskFull } from '../process/index.js';
import type { CommandConfig } from './config.js';
import { ARGUMENT_MAX_BYTES } from './limits.js';

/** How a prompt reaches a command. */
export type PromptDelivery = {
  argv: [string, ...string[]];
  stdin: string | null;
  /** Removes the temporary file, if there is one. */
  remove: () => void;
};

/**
 * A prompt that cannot be an argument (too long, or with a NUL in it) goes by a file, and the argument says where.
 * Throws disk-full, agent-failed when the file cannot be written.
 */
export function deliverPrompt(config: CommandConfig, prompt: string): PromptDelivery {
  const input = config.input ?? 'stdin';
  if (input === 'stdin')
    return { argv: [...config.command], stdin: prompt, remove: () => undefined };
  if (input === 'arg') {
    const argv = insert(config.command, '{prompt}', prompt);
    if (argv.every(isPossibleArgument)) return { argv, stdin: null, remove: () => undefined };
  }
  const { path, remove } = writePromptFile(prompt);
  const argv =
    input === 'file'
      ? insert(config.command, '{file}', path)
      : insert(
          config.command,
          '{prompt}',
          `Read the file ${path} and do the whole task that it describes.`,
        );
  return { argv, stdin: null, remove };
}

function isPossibleArgument(argument: string): boolean {
  return !argument.includes('\0') && Buffer.byteLength(argument) <= ARGUMENT_MAX_BYTES;
}

function insert(
  command: CommandConfig['command'],
  placeholder: string,
  value: string,
): [string, ...string[]] {
  const [program, ...rest] = command;
  if (!rest.some((argument) => argument.includes(placeholder))) return [program, ...rest, value];
  return [program, ...rest.map((argument) => argument.split(placeholder).join(value))];
}

function writePromptFile(prompt: string): { path: string; remove: () => void } {
  let directory: string | null = null;
  const remove = () => {
    if (directory !== null) rmSync(directory, { recursive: true, force: true });
  };
  try {
    directory = mkdtempSync(join(tmpdir(), 'uwf-prompt-'));
    const path = join(directory, 'prompt.md');
    writeFileSync(path, prompt, { mode: 0o600 });
    return { path, remove };
  } catch (error) {
    remove();
    const code = (error as NodeJS.ErrnoException).code ?? String(error);
    throw new Problem(
      isDiskFull(error) ? 'disk-full' : 'agent-failed',
      `the prompt cannot be written to a file in ${tmpdir()} (${code}); free space there or set TMPDIR to a writable directory`,
      { cause: error, retryable: false },
    );
  }
}
