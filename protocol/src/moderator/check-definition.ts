import {
  type Definition,
  errorFinding,
  type Finding,
  nearestName,
  warningFinding,
} from '../workflow/index.js';
import { checkPrompts } from './check-prompts.js';
import { checkRoutes } from './check-routes.js';
import { checkRules } from './check-rules.js';
import { checkStatuses } from './check-statuses.js';
import { routesOf } from './routes.js';

/**
 * What a definition means, checked: paths are those of the file. `agents`: names of agent bindings of this machine;
 * null = not known here, not checked. No error among the findings: it can run.
 */
export function checkDefinition(
  definition: Definition,
  { agents }: { agents: readonly string[] | null },
): Finding[] {
  const findings = [...checkRoles(definition), ...checkAgents(definition, agents)];
  const { graph, moderator } = definition;
  if (graph !== null && moderator !== null) {
    const fix = 'Keep one of the two.';
    findings.push(
      errorFinding('routing-twice', ['moderator'], 'The file has both graph and moderator.', fix),
    );
    return findings;
  }
  if (graph === null && moderator === null) {
    const fix = 'Add graph: {$START: {_: {role: …}}, …}.';
    findings.push(
      errorFinding('routing-missing', [], 'The file has neither graph nor moderator.', fix),
    );
    return findings;
  }
  const routes = routesOf(definition);
  return [
    ...findings,
    ...checkRoutes(definition, routes),
    ...checkStatuses(definition),
    ...checkRules(definition),
    ...checkPrompts(definition, routes),
  ];
}

function checkRoles(definition: Definition): Finding[] {
  if (Object.keys(definition.roles).length > 0) return [];
  return [errorFinding('no-roles', ['roles'], 'The workflow has no roles.', 'Add at least one.')];
}

function checkAgents(definition: Definition, agents: readonly string[] | null): Finding[] {
  return Object.entries(definition.roles).flatMap(([name, { agent, run }]) => {
    if (agent === null) return [];
    const path = ['roles', name, 'agent'];
    if (run !== null) {
      const message = `Role "${name}" is a script; its agent is never asked.`;
      return [warningFinding('agent-unused', path, message, 'Remove "agent:" or "run:".')];
    }
    if (agents === null || agents.includes(agent)) return [];
    const guess = nearestName(agent, agents);
    const known = agents.length === 0 ? 'none is configured' : `known are ${agents.join(', ')}`;
    return [
      errorFinding(
        'unknown-agent',
        path,
        `This machine has no agent "${agent}"; ${known}.`,
        guess === null ? 'Add it to config.agents of workflow.yaml.' : `Did you mean "${guess}"?`,
      ),
    ];
  });
}
