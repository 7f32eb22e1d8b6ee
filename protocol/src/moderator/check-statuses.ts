import {
  ANY_STATUS,
  type Definition,
  type DefinitionRole,
  errorFinding,
  type Finding,
  nearestName,
  warningFinding,
} from '../workflow/index.js';
import { ownEntry } from './own-entry.js';
import { schemaVariants, type Variant } from './schema-variants.js';
import { SCRIPT_FAILED } from './status-graph.js';

const SCRIPT_OK = 'ok';

/** Statuses that a role may answer with against the edges it has: each must be routed, and each edge be possible. */
export function checkStatuses(definition: Definition): Finding[] {
  return Object.entries(definition.roles).flatMap(([name, role]) => {
    const edges = ownEntry(definition.graph ?? {}, name);
    if (edges === undefined || Object.keys(edges).length === 0) return [];
    return checkRole(name, role, Object.keys(edges));
  });
}

function checkRole(name: string, role: DefinitionRole, routed: string[]): Finding[] {
  if (routed.includes(ANY_STATUS) && routed.length > 1) {
    return [
      errorFinding(
        'status-mixed',
        ['graph', name, ANY_STATUS],
        `"_" stands beside other statuses of role "${name}".`,
        'Use "_" alone, for a role with one status, or name every status.',
      ),
    ];
  }
  const variants = schemaVariants(role.frontmatter ?? {});
  const declared = declaredStatuses(variants);
  const isScript = role.run !== null;
  if (routed.includes(ANY_STATUS)) return checkAny(name, isScript, declared);
  if (declared === null) return isScript ? checkOpenScript(name, routed) : [openStatus(name, role)];
  const findings = [
    ...[...declared]
      .filter((status) => !routed.includes(status))
      .map((status) => unrouted(name, status, isScript && status === SCRIPT_FAILED)),
    ...routed
      .filter((status) => !declared.has(status))
      .map((status) => impossible(name, status, declared, isScript)),
  ];
  if (!isScript && !variants.every(({ statusRequired }) => statusRequired)) {
    findings.push(optionalStatus(name));
  }
  return findings;
}

/** Null: any status is allowed by some alternative. */
function declaredStatuses(variants: readonly Variant[]): ReadonlySet<string> | null {
  const all = new Set<string>();
  for (const { statuses } of variants) {
    if (statuses === null) return null;
    for (const status of statuses) all.add(status);
  }
  return all;
}

function checkAny(
  name: string,
  isScript: boolean,
  declared: ReadonlySet<string> | null,
): Finding[] {
  const named = [...(declared ?? [])].filter((status) => !isScript || status !== SCRIPT_FAILED);
  const findings: Finding[] = [];
  if (named.length > 1) {
    findings.push(
      errorFinding(
        'status-unrouted',
        ['graph', name, ANY_STATUS],
        `Role "${name}" may answer with ${named.join(', ')}; "_" is for a role with one status.`,
        `Give each its own edge: ${named.map((status) => `${status}: {role: …}`).join(', ')}.`,
      ),
    );
  }
  if (isScript && (declared === null || declared.has(SCRIPT_FAILED))) {
    findings.push(unrouted(name, SCRIPT_FAILED, true));
  }
  return findings;
}

/** A script whose frontmatter does not name its statuses may print its own, and gives ok or failed otherwise. */
function checkOpenScript(name: string, routed: readonly string[]): Finding[] {
  const findings: Finding[] = [];
  if (!routed.includes(SCRIPT_OK)) {
    const hasOwn = routed.some((status) => status !== SCRIPT_FAILED);
    findings.push(unrouted(name, SCRIPT_OK, hasOwn));
  }
  if (!routed.includes(SCRIPT_FAILED)) findings.push(unrouted(name, SCRIPT_FAILED, true));
  return findings;
}

function unrouted(name: string, status: string, isMild: boolean): Finding {
  const message = `Role "${name}" may end with "${status}", and graph.${name} has no edge for it: the thread would fail there.`;
  const fix = `Add graph.${name}.${status}: {role: …}.`;
  const make = isMild ? warningFinding : errorFinding;
  return make('status-unrouted', ['graph', name], message, fix);
}

function impossible(
  name: string,
  status: string,
  declared: ReadonlySet<string>,
  isScript: boolean,
): Finding {
  const guess = nearestName(status, declared);
  const make =
    isScript && (status === SCRIPT_OK || status === SCRIPT_FAILED) ? warningFinding : errorFinding;
  return make(
    'status-impossible',
    ['graph', name, status],
    `The frontmatter of role "${name}" does not allow $status "${status}"; it allows ${[...declared].join(', ')}.`,
    guess === null
      ? `Remove the edge, or allow the status in roles.${name}.frontmatter.`
      : `Did you mean "${guess}"?`,
  );
}

function openStatus(name: string, role: DefinitionRole): Finding {
  const path = role.frontmatter === null ? ['roles', name] : ['roles', name, 'frontmatter'];
  return errorFinding(
    'status-open',
    path,
    `Edges of role "${name}" depend on $status, and its frontmatter does not say which there are.`,
    'Add properties: {$status: {enum: […]}} and required: [$status] to its frontmatter, or use "_" as its only edge.',
  );
}

function optionalStatus(name: string): Finding {
  return warningFinding(
    'status-optional',
    ['roles', name, 'frontmatter'],
    `Role "${name}" may answer without $status, and no edge is for that: the thread would fail there.`,
    'Add $status to "required" of its frontmatter.',
  );
}
