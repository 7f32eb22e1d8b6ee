import { z } from 'zod';
import { agentNameSchema, roleNameSchema, workflowNameSchema } from '../ids/index.js';
import { STATUS_MAX_CHARACTERS } from '../limits.js';
import { DURATION_PATTERN } from './duration.js';

/**
 * The workflow file as people write it, YAML or JSON. Every optional field may be left out or empty (null).
 * `parseDefinitionFile` checks against it; editors get it as JSON Schema.
 */
const text = z.string();
const jsonSchema = z.record(z.string(), z.unknown());
const count = z.int().positive();
const duration = z.string().regex(DURATION_PATTERN);

export const START_IN_FILES = '$START';
export const END_IN_FILES = '$END';

/** Key of the one edge of a role with one status, and of `$START`. */
export const ANY_STATUS = '_';

const roleFileSchema = z.strictObject({
  description: text.nullish().describe('For people: one line.'),
  goal: text.nullish().describe('What the role is for.'),
  capabilities: z.array(text).nullish().describe('What it may use or is good at.'),
  procedure: text.nullish().describe('How it goes about it.'),
  output: text.nullish().describe('What its answer must hold.'),
  frontmatter: jsonSchema
    .nullish()
    .describe('JSON Schema of the answer; `$status` chooses the edge.'),
  run: text.nullish().describe('Shell script that is the role; then no agent is asked.'),
  agent: agentNameSchema.nullish().describe('Name of an agent of the machine that runs it.'),
  timeout: duration.nullish().describe('Longest time of one attempt: 500ms, 90s, 10m, 2h.'),
  retry: z
    .strictObject({
      maxAttempts: count.nullish().describe('Attempts of one step, the first included.'),
      backoff: duration.nullish().describe('Wait before the next attempt.'),
    })
    .nullish(),
  maxVisits: count.nullish().describe('Steps of this role in a thread; then it pauses.'),
  workspace: z
    .strictObject({ worktree: z.boolean().nullish().describe('Its own git worktree.') })
    .nullish(),
});
export type RoleFile = z.infer<typeof roleFileSchema>;

const prompt = text
  .nullish()
  .describe('Task of the next role (Mustache); at the end, the summary.');
const edgeFileSchema = z.strictObject({ role: text, prompt });
const roleOrStart = z.union([roleNameSchema, z.literal(START_IN_FILES)]);
const statusKey = z.string().min(1).max(STATUS_MAX_CHARACTERS);

export const definitionFileSchema = z.strictObject({
  name: workflowNameSchema.describe(
    'Lower-case words joined by hyphens, a verb first: solve-issue.',
  ),
  description: text.nullish(),
  inputs: jsonSchema.nullish().describe('JSON Schema of what a start takes beside the prompt.'),
  maxSteps: count.nullish().describe('Steps of a thread; then it pauses.'),
  budget: z
    .strictObject({ tokens: count.nullish(), usd: z.number().positive().nullish() })
    .nullish(),
  roles: z.record(roleNameSchema, roleFileSchema),
  graph: z
    .record(roleOrStart, z.record(statusKey, edgeFileSchema))
    .nullish()
    .describe('graph.<role>.<status>: the next role. `$START` uses `_`; `$END` ends the thread.'),
  moderator: z
    .array(z.strictObject({ from: text, to: text, when: text.nullish(), prompt }))
    .nullish()
    .describe('Instead of graph: ordered rules; `when` is JSONata over the thread.'),
});
export type DefinitionFile = z.infer<typeof definitionFileSchema>;

/** JSON Schema of the file for editors: as above, and `x-…` keys are allowed wherever keys are fixed. */
export function definitionFileJsonSchema(): Record<string, unknown> {
  return z.toJSONSchema(definitionFileSchema, {
    io: 'input',
    override: ({ jsonSchema: schema }) => {
      if (schema.properties !== undefined && schema.additionalProperties === false) {
        schema.patternProperties = { '^x-': {} };
      }
    },
  }) as Record<string, unknown>;
}
