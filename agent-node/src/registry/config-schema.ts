import { agentNameSchema, roleNameSchema, workflowNameSchema } from '@uncaged/protocol/ids';
import { z } from 'zod';
import type { AgentConfig } from '../agents/index.js';
import { CONCURRENCY_NODE_DEFAULT, MAX_DEPTH_DEFAULT } from './limits.js';

const UNIT_MS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const DURATION = /^(\d{1,9})(ms|s|m|h|d)$/;

/** `90s`, `10m`, `2h`, `30d` → ms. */
const durationSchema = z
  .string()
  .regex(DURATION, 'must be a duration such as 90s, 10m, 2h or 30d')
  .transform((text) => {
    const [, count, unit] = DURATION.exec(text)!;
    return Number(count) * UNIT_MS[unit as keyof typeof UNIT_MS];
  });

const record = <K extends z.ZodType<string, string>, V extends z.ZodType>(key: K, value: V) =>
  z.record(key, value).nullish();
const anyName = z.string().min(1).max(128);
const price = z.number().nonnegative();

const modelReference = z.string().regex(/^[^/]+\/.+$/, 'must be "provider/model"');

/** Section `config` of workflow.yaml; every field is optional. */
export const configSchema = z.strictObject({
  defaultAgent: agentNameSchema.nullish(),
  /** Each is checked by its kind, see `configOf`. */
  agents: record(agentNameSchema, z.unknown()),
  workflows: record(
    workflowNameSchema,
    z.strictObject({ agents: record(roleNameSchema, agentNameSchema) }),
  ),
  providers: record(anyName, z.looseObject({ baseUrl: z.url(), apiKey: z.string().nullish() })),
  models: record(anyName, modelReference),
  /** Money per million tokens. */
  prices: record(
    anyName,
    z.strictObject({
      input: price,
      output: price,
      cacheRead: price.nullish(),
      cacheWrite: price.nullish(),
    }),
  ),
  maxDepth: z.int().nonnegative().nullish(),
  supervisorInterval: z.int().nonnegative().nullish(),
  concurrency: z
    .strictObject({
      node: z.int().positive().nullish(),
      workflows: record(workflowNameSchema, z.int().positive()),
    })
    .nullish(),
  workspaceRoots: z.array(z.string().startsWith('/', 'must be an absolute path')).nullish(),
  recovery: z.enum(['auto', 'manual']).nullish(),
  retention: z
    .strictObject({
      age: durationSchema.nullish(),
      count: z.int().nonnegative().nullish(),
      /** bytes */
      size: z.int().nonnegative().nullish(),
    })
    .nullish(),
});

export type ConfigFile = z.infer<typeof configSchema>;

/** Threads that may run at once: on the node, and of a workflow. */
export type Concurrency = { node: number; workflows: Readonly<Record<string, number>> };

export const CONCURRENCY_DEFAULT: Concurrency = { node: CONCURRENCY_NODE_DEFAULT, workflows: {} };

/** The node's configuration with defaults filled in. */
export type NodeConfig = {
  defaultAgent: string | null;
  agents: ReadonlyMap<string, AgentConfig>;
  /** Role → agent, by workflow. */
  workflowAgents: ReadonlyMap<string, ReadonlyMap<string, string>>;
  providers: ReadonlyMap<string, { baseUrl: string; apiKey: string | null }>;
  models: ReadonlyMap<string, string>;
  prices: ReadonlyMap<
    string,
    { input: number; output: number; cacheRead: number | null; cacheWrite: number | null }
  >;
  maxDepth: number;
  /** Steps between two checks of the supervisor; 0 = off. */
  supervisorInterval: number;
  concurrency: Concurrency;
  workspaceRoots: readonly string[];
  recovery: 'auto' | 'manual';
  /** age in ms, size in bytes; null = no limit. */
  retention: { age: number | null; count: number | null; size: number | null };
};

export function withDefaults(
  file: ConfigFile,
  agents: ReadonlyMap<string, AgentConfig>,
): NodeConfig {
  const map = <T>(section: Record<string, T> | null | undefined) =>
    new Map(Object.entries(section ?? {}));
  const workflows: Record<string, number> = Object.assign(
    Object.create(null),
    file.concurrency?.workflows ?? {},
  );
  return {
    defaultAgent: file.defaultAgent ?? null,
    agents,
    workflowAgents: new Map(
      [...map(file.workflows)].map(([name, settings]) => [name, map(settings.agents)]),
    ),
    providers: new Map(
      [...map(file.providers)].map(([name, { baseUrl, apiKey }]) => [
        name,
        { baseUrl, apiKey: apiKey ?? null },
      ]),
    ),
    models: map(file.models),
    prices: new Map(
      [...map(file.prices)].map(([name, { input, output, cacheRead, cacheWrite }]) => [
        name,
        { input, output, cacheRead: cacheRead ?? null, cacheWrite: cacheWrite ?? null },
      ]),
    ),
    maxDepth: file.maxDepth ?? MAX_DEPTH_DEFAULT,
    supervisorInterval: file.supervisorInterval ?? 0,
    concurrency: { node: file.concurrency?.node ?? CONCURRENCY_NODE_DEFAULT, workflows },
    workspaceRoots: file.workspaceRoots ?? [],
    recovery: file.recovery ?? 'auto',
    retention: {
      age: file.retention?.age ?? null,
      count: file.retention?.count ?? null,
      size: file.retention?.size ?? null,
    },
  };
}
