import { END, START } from '../ids/index.js';
import { SCRIPT_MAX_BYTES } from '../limits.js';
import type { Definition, DefinitionRole } from './definition.js';
import { invalidDuration, shapeFindings } from './definition-file-issues.js';
import {
  type DefinitionFile,
  definitionFileSchema,
  type RoleFile,
} from './definition-file-schema.js';
import { parseDuration } from './duration.js';
import { errorFinding, type Finding } from './finding.js';
import { toPlainData } from './plain-data.js';
import { fromFileName, toFileName } from './sentinels.js';

export type ParsedDefinition = {
  /** Null when there is an error among the findings. */
  definition: Definition | null;
  findings: Finding[];
};

/**
 * A workflow file, as a YAML or JSON parser gave it, in the form that is stored: absent = null, durations in ms,
 * `__start__` and `__end__`, no `x-…` keys. Takes plain objects, null-prototype objects and Maps. Never throws; says
 * everything that is wrong with the shape. What the workflow means is for `checkDefinition` (moderator).
 */
export function parseDefinitionFile(raw: unknown): ParsedDefinition {
  const plain = toPlainData(raw);
  if (plain.findings.length > 0) return { definition: null, findings: plain.findings };
  const file = withoutExtensions(plain.value);
  const findings = hiddenKeyFindings(file);
  const result = definitionFileSchema.safeParse(file);
  if (!result.success) {
    findings.push(...shapeFindings(result.error, file));
    return { definition: null, findings };
  }
  // Built from `file`, not from `result.data`: zod drops a key `__proto__` from free JSON.
  const definition = build(file as DefinitionFile, findings);
  return { definition: findings.length === 0 ? definition : null, findings };
}

function build(file: DefinitionFile, findings: Finding[]): Definition {
  return {
    name: file.name,
    description: file.description ?? null,
    inputs: file.inputs ?? null,
    maxSteps: file.maxSteps ?? null,
    budget: file.budget
      ? { tokens: file.budget.tokens ?? null, usd: file.budget.usd ?? null }
      : null,
    roles: mapEntries(file.roles, (role, name) => buildRole(role, name, findings)),
    graph: file.graph ? buildGraph(file.graph, findings) : null,
    moderator: file.moderator ? buildRules(file.moderator, findings) : null,
  };
}

function buildRole(role: RoleFile, name: string, findings: Finding[]): DefinitionRole {
  const path = ['roles', name];
  const duration = (text: string | null | undefined, key: string[], least: number) => {
    if (text == null) return null;
    const ms = parseDuration(text);
    if (ms === null || ms < least) findings.push(invalidDuration([...path, ...key], text));
    return ms;
  };
  checkScript(role.run ?? null, [...path, 'run'], findings);
  return {
    description: role.description ?? null,
    goal: role.goal ?? null,
    capabilities: role.capabilities ?? null,
    procedure: role.procedure ?? null,
    output: role.output ?? null,
    frontmatter: role.frontmatter ?? null,
    run: role.run ?? null,
    agent: role.agent ?? null,
    timeout: duration(role.timeout, ['timeout'], 1),
    retry: role.retry
      ? {
          maxAttempts: role.retry.maxAttempts ?? null,
          backoff: duration(role.retry.backoff, ['retry', 'backoff'], 0),
        }
      : null,
    maxVisits: role.maxVisits ?? null,
    workspace: role.workspace ? { worktree: role.workspace.worktree ?? null } : null,
  };
}

function checkScript(run: string | null, path: string[], findings: Finding[]): void {
  if (run === null) return;
  const bytes = new TextEncoder().encode(run).length;
  if (run.trim() === '') {
    findings.push(
      errorFinding(
        'empty-script',
        path,
        `${path.join('.')} is empty.`,
        'Write a command, or remove "run:".',
      ),
    );
  } else if (bytes > SCRIPT_MAX_BYTES) {
    findings.push(
      errorFinding(
        'script-too-long',
        path,
        `${path.join('.')} has ${bytes} bytes; ${SCRIPT_MAX_BYTES} is the most.`,
        'Keep the script in a file of the repository and run that.',
      ),
    );
  } else if (run.includes('\0')) {
    findings.push(
      errorFinding('nul-in-script', path, `${path.join('.')} holds a NUL character.`, 'Remove it.'),
    );
  }
}

function buildGraph(graph: NonNullable<DefinitionFile['graph']>, findings: Finding[]) {
  const entries = Object.entries(graph).map(([from, edges]) => [
    fromFileName(from),
    mapEntries(edges, (edge, status) => ({
      role: target(edge.role, ['graph', from, status, 'role'], findings),
      prompt: edge.prompt ?? null,
    })),
  ]);
  return Object.fromEntries(entries) as NonNullable<Definition['graph']>;
}

function buildRules(rules: NonNullable<DefinitionFile['moderator']>, findings: Finding[]) {
  return rules.map((rule, index) => ({
    from: target(rule.from, ['moderator', index, 'from'], findings),
    to: target(rule.to, ['moderator', index, 'to'], findings),
    when: rule.when ?? null,
    prompt: rule.prompt ?? null,
  }));
}

function target(name: string, path: (string | number)[], findings: Finding[]): string {
  if (name === START || name === END) {
    findings.push(
      errorFinding(
        'wrong-sentinel',
        path,
        `"${name}" is not a role's name.`,
        `In a file it is written ${toFileName(name)}.`,
      ),
    );
  }
  return fromFileName(name);
}

/** Keys that the schema's maps would pass over in silence. */
function hiddenKeyFindings(file: unknown): Finding[] {
  if (!isRecord(file)) return [];
  const found: Finding[] = [];
  const look = (map: unknown, path: string[]) => {
    if (isRecord(map) && Object.hasOwn(map, '__proto__')) {
      const fix = 'Choose another name.';
      found.push(
        errorFinding(
          'invalid-name',
          [...path, '__proto__'],
          'The name "__proto__" cannot be used.',
          fix,
        ),
      );
    }
  };
  look(file.roles, ['roles']);
  look(file.graph, ['graph']);
  if (isRecord(file.graph)) {
    for (const [role, edges] of Object.entries(file.graph)) look(edges, ['graph', role]);
  }
  return found;
}

/** Drops `x-…` keys wherever keys are fixed; roles, statuses and JSON Schema keep theirs. */
function withoutExtensions(value: unknown): unknown {
  return strip(value, {
    budget: (budget) => strip(budget, {}),
    roles: (roles) =>
      each(roles, (role) =>
        strip(role, { retry: (retry) => strip(retry, {}), workspace: (space) => strip(space, {}) }),
      ),
    graph: (graph) => each(graph, (edges) => each(edges, (edge) => strip(edge, {}))),
    moderator: (rules) => (Array.isArray(rules) ? rules.map((rule) => strip(rule, {})) : rules),
  });
}

function strip(value: unknown, inside: Record<string, (field: unknown) => unknown>): unknown {
  if (!isRecord(value)) return value;
  const kept = Object.entries(value).filter(([key]) => !key.startsWith('x-'));
  return Object.fromEntries(
    kept.map(([key, field]) => [
      key,
      Object.hasOwn(inside, key) ? (inside[key]?.(field) ?? field) : field,
    ]),
  );
}

function each(value: unknown, change: (item: unknown) => unknown): unknown {
  return isRecord(value) ? mapEntries(value, change) : value;
}

function mapEntries<From, To>(
  map: Record<string, From>,
  change: (value: From, key: string) => To,
): Record<string, To> {
  return Object.fromEntries(Object.entries(map).map(([key, value]) => [key, change(value, key)]));
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
