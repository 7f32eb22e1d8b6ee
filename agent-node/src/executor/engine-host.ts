import { Problem } from '@uncaged/protocol/problem';
import { type Agent, createAgent, createScriptAgent } from '../agents/index.js';
import type { EngineHost } from '../engine/index.js';
import { agentBinding, readConfig } from '../registry/index.js';
import type { Store } from '../store/index.js';
import type { ExecutorLimits } from './limits.js';
import { builtinsDirectory } from './programs.js';
import { createSecretResolver } from './secrets.js';

type Input = {
  store: Store;
  limits: ExecutorLimits;
  env: NodeJS.ProcessEnv;
  log: (tag: string, message: string) => void;
};

/** What the engine gets of a worker process: clock, agents by the node's configuration, the environment of scripts. */
export function createEngineHost({ store, limits, env, log }: Input): EngineHost {
  return {
    store,
    clock: Date.now,
    log,
    killGraceMs: limits.killGraceMs,
    env: {
      UWF_NODE: process.execPath,
      UWF_BUILTINS: builtinsDirectory,
    },
    agentFor: async (thread, workflow, role, wanted): Promise<Agent> => {
      const settings = workflow.definition?.roles[role];
      if (settings?.run != null) return createScriptAgent(settings.run, { killGraceMs: limits.killGraceMs });
      const config = readConfig(store.root);
      const name = agentBinding(config, {
        workflow: thread.workflow,
        role,
        definitionAgent: wanted ?? settings?.agent ?? null,
        overrides: thread.options.agents,
      });
      if (name === null)
        throw new Problem(
          'unknown-agent',
          `role ${role} has no agent: name one with --agent ${role}=<name>, or set config.defaultAgent in workflow.yaml`,
        );
      const agent = config.agents[name];
      if (agent === undefined)
        throw new Problem(
          'unknown-agent',
          `role ${role} wants agent "${name}", which config.agents in workflow.yaml does not name`,
        );
      return createAgent(name, agent, { resolveSecret: createSecretResolver(store.root, env) });
    },
  };
}
