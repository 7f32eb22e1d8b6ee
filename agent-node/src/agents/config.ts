import { Problem } from '@uncaged/protocol/problem';
import { type ValueFault, valueFaults } from '@uncaged/protocol/workflow';
import { z } from 'zod';
import { scriptedAnswerSchema } from './scripted-answer.js';

const argument = z.string().refine((text) => !text.includes('\0'), 'must not hold a NUL character');
const argv = z.tuple([argument.min(1, 'must name a program')], argument);
/** Values may be references: `env:NAME`, `file:path`. */
const environment = z.record(
  z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'must be a variable name'),
  argument,
);

export const commandConfigSchema = z.strictObject({
  kind: z.literal('command'),
  /** Program and arguments. `{prompt}` (input arg) and `{file}` (input file) stand for what it gets; else it is appended. */
  command: argv,
  env: environment.optional(),
  /** How the prompt gets there; stdin unless given. */
  input: z.enum(['stdin', 'file', 'arg']).optional(),
});
export type CommandConfig = z.infer<typeof commandConfigSchema>;

export const scriptedConfigSchema = z.strictObject({
  kind: z.literal('scripted'),
  /** role → its answers: the nth visit gives the nth, the last one repeats. A text alone stands for `{text}`. */
  answers: z.record(z.string(), z.array(scriptedAnswerSchema).min(1)),
});
export type ScriptedConfig = z.infer<typeof scriptedConfigSchema>;

export const workflowConfigSchema = z.strictObject({
  kind: z.literal('workflow'),
  /** A name (looked up as `uwf run` does, from the thread's workspace), a version, or a path from there. */
  workflow: z.string().min(1),
  /** Deepest level of nesting that it may begin, instead of `config.maxDepth`. */
  maxDepth: z.int().nonnegative().optional(),
});

const presetConfigSchema = z.strictObject({ preset: z.string().min(1) });

// Kinds that a configuration may name already; what else they take is checked once they exist.
const plannedConfigSchemas = [
  z.looseObject({ kind: z.literal('acp'), command: argv, env: environment.optional() }),
  z.looseObject({ kind: z.literal('llm'), model: z.string().min(1) }),
  z.looseObject({ kind: z.literal('react'), model: z.string().min(1) }),
  z.looseObject({ kind: z.literal('human') }),
] as const;

const kindConfigSchema = z.discriminatedUnion('kind', [
  commandConfigSchema,
  scriptedConfigSchema,
  workflowConfigSchema,
  ...plannedConfigSchemas,
]);

/** One entry of `config.agents`. */
export const agentConfigSchema = z.union([presetConfigSchema, kindConfigSchema]);
export type AgentConfig = z.infer<typeof agentConfigSchema>;

/** One entry of `config.agents`, or what is wrong with it; paths begin at the entry. */
export function checkAgentConfig(
  raw: unknown,
): { config: AgentConfig; faults: null } | { config: null; faults: ValueFault[] } {
  // Chosen by hand: a union reports what each of its members misses, and nobody can read that.
  const isPreset = typeof raw === 'object' && raw !== null && Object.hasOwn(raw, 'preset');
  const result = (isPreset ? presetConfigSchema : kindConfigSchema).safeParse(raw);
  if (result.success) return { config: result.data, faults: null };
  const known = (path: readonly unknown[]) => (path.length === 0 ? keysOf(raw) : []);
  return { config: null, faults: valueFaults(result.error.issues, raw, known) };
}

/** What an entry takes besides: by its kind. */
function keysOf(raw: unknown): string[] {
  if (Object.hasOwn(raw as object, 'preset')) return Object.keys(presetConfigSchema.shape);
  const { kind } = raw as { kind?: unknown };
  const schema = kindConfigSchema.options.find(({ shape }) => shape.kind.value === kind);
  return Object.keys(schema?.shape ?? {});
}

/** Throws invalid-config; its message names the field. */
export function parseAgentConfig(name: string, raw: unknown): AgentConfig {
  const { config, faults } = checkAgentConfig(raw);
  if (faults === null) return config;
  const findings = faults.map(({ path, message, fix }) =>
    `${['config', 'agents', name, ...path].join('.')} ${message} ${fix}`.trimEnd(),
  );
  throw new Problem('invalid-config', `${findings.join(' ')} Correct it in workflow.yaml.`, {
    details: { errors: findings },
  });
}
