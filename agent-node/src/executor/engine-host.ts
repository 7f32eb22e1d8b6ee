import { delimiter } from 'node:path';
import { createAgent, createScriptAgent, parseAgentConfig } from '../agents/index.js';
import type { EngineHost } from '../engine/index.js';
import type { Validator } from '../extract/index.js';
import { agentBinding, readConfig } from '../registry/index.js';
import { type Store, workDirectory } from '../store/index.js';
import type { ExecutorLimits } from './limits.js';
import { createNestedThreads } from './nested-threads.js';
import { builtinsDirectory } from './programs.js';
import { createSecretResolver } from './secrets.js';

type Input = {
  store: Store;
  limits: ExecutorLimits;
  env: NodeJS.ProcessEnv;
  /** One per process: setting it up takes longer than a step. */
  validator: Validator;
  log: (tag: string, message: string) => void;
  /** Wakes the worker after it has written something that concerns itself. */
  ring: () => void;
};

/** What the engine gets of a worker process: clock, agents by the node's configuration, the environment of scripts. */
export function createEngineHost({ store, limits, env, validator, log, ring }: Input): EngineHost {
  return {
    store,
    clock: Date.now,
    random: Math.random,
    nested: createNestedThreads({ store, clock: Date.now, limits, log, ring }),
    log,
    killGraceMs: limits.killGraceMs,
    env: {
      UWF_NODE: process.execPath,
      UWF_BUILTINS: builtinsDirectory,
      // A store may lie in somebody's repository: that of a directory made for a thread is its own, or none.
      GIT_CEILING_DIRECTORIES: [workDirectory(store.root), env.GIT_CEILING_DIRECTORIES]
        .filter((path) => path !== undefined && path !== '')
        .join(delimiter),
    },
    validator,
    agentFor: async (thread, workflow, role, wanted) => {
      const settings = workflow.definition?.roles[role];
      if (settings?.run != null)
        return createScriptAgent(settings.run, {
          environment: env,
          killGraceMs: limits.killGraceMs,
        });
      const config = await readConfig(store.root);
      const name = agentBinding(config, {
        workflow: thread.workflow,
        role,
        definitionAgent: wanted ?? settings?.agent ?? null,
        overrides: thread.options.agents,
      });
      return createAgent(name, parseAgentConfig(name, config.agents.get(name)), {
        resolveSecret: createSecretResolver(store.root, env),
        environment: env,
        killGraceMs: limits.killGraceMs,
      });
    },
  };
}
