import type { Command } from 'commander';
import type { ThreadOptions } from '../../store/index.js';
import type { Options } from '../run-command.js';
import { readCount } from './start-options.js';

/** Options of the commands that go on with a thread. */
export function withRaisedLimits(command: Command): Command {
  return command
    .option('--max-steps <n>', 'raise the limit of steps')
    .option('--max-visits <n>', 'raise the limit of visits to one role');
}

/** Throws invalid-argument. */
export function readRaisedLimits(options: Options): Partial<ThreadOptions> {
  return {
    maxSteps: readCount(options.maxSteps, '--max-steps'),
    maxVisits: readCount(options.maxVisits, '--max-visits'),
  };
}
