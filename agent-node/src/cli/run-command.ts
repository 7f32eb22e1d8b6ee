import type { Command } from 'commander';
import type { Store } from '../store/index.js';
import type { CliContext, Environment, InputStream } from './context.js';
import { reportFailure } from './failure.js';
import { createOutput, type Output } from './output/index.js';
import { setGarbageAside } from './set-garbage-aside.js';

/** What an action works with. Results go to `out`, notes to `err`. */
export type CommandInput = {
  /** Storage root; it need not exist. Throws store-unavailable when there is no home. */
  root: string;
  json: boolean;
  out: Output;
  err: Output;
  env: Environment;
  cwd: string;
  stdin: InputStream;
  clock: () => number;
  /** See CliContext.interruption: reading it takes over Ctrl-C. */
  signal: AbortSignal;
};

export type StoreCommandInput = CommandInput & { store: Store };

/** Options as commander names them. */
export type Options = Record<string, unknown>;

/** Returns the exit code; nothing = 0. */
export type Action<Input> = (
  input: Input,
  args: readonly string[],
  options: Options,
  // biome-ignore lint/suspicious/noConfusingVoidType: most actions have nothing to return
) => Promise<number | void> | number | void;

type Handler = (...given: unknown[]) => Promise<void>;

/** An action with the store open; it is closed afterwards, whatever happens. For `.action()` of commander. */
export function command(context: CliContext, action: Action<StoreCommandInput>): Handler {
  return commandWithoutStore(context, async (input, args, options) => {
    await setGarbageAside(input);
    const { openStore } = await import('../store/index.js');
    const store = await openStore(input.root, { clock: input.clock });
    try {
      return await action(withStore(input, store), args, options);
    } finally {
      store.close();
    }
  });
}

/** An action that must work where no store can be opened. */
export function commandWithoutStore(context: CliContext, action: Action<CommandInput>): Handler {
  return async (...given) => {
    const self = given.at(-1) as Command;
    const options: Options = self.optsWithGlobals();
    const json = options.json === true;
    try {
      const { storageRoot } = await import('../store/index.js');
      const input: CommandInput = {
        get root() {
          return storageRoot(context.env);
        },
        json,
        out: createOutput(context.stdout, context.env),
        err: createOutput(context.stderr, context.env),
        env: context.env,
        get cwd() {
          return context.cwd();
        },
        stdin: context.stdin,
        clock: context.clock,
        get signal() {
          return context.interruption();
        },
      };
      context.exitCode = (await action(input, self.args, options)) ?? 0;
    } catch (error) {
      context.exitCode = reportFailure(error, { stderr: context.stderr, env: context.env, json });
    }
  };
}

/** Keeps the getters: an action that does not ask for the signal leaves Ctrl-C alone. */
function withStore(input: CommandInput, store: Store): StoreCommandInput {
  return Object.defineProperties(
    { store },
    Object.getOwnPropertyDescriptors(input),
  ) as StoreCommandInput;
}
