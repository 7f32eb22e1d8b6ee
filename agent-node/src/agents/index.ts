export { type CommandAgentOptions, createCommandAgent } from './command.js';
export {
  type AgentConfig,
  agentConfigSchema,
  type CommandConfig,
  checkAgentConfig,
  parseAgentConfig,
  type ScriptedConfig,
} from './config.js';
export { type CreateAgentOptions, createAgent } from './create-agent.js';
export { createNoiseTail, type NoiseTail } from './noise-tail.js';
export { createScriptAgent, type ScriptAgentOptions } from './script.js';
export { createScriptedAgent } from './scripted.js';
export type { ResolveSecret } from './secrets.js';
export type {
  Agent,
  AgentResult,
  AgentTask,
  AgentToolCall,
  AgentTrace,
  AgentTurn,
  NestedWorkflow,
} from './types.js';
