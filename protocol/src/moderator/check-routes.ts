import { END, START } from '../ids/index.js';
import {
  ANY_STATUS,
  type Definition,
  errorFinding,
  type Finding,
  nearestName,
  toFileName,
  warningFinding,
} from '../workflow/index.js';
import { ownEntry } from './own-entry.js';
import { leadingToEnd, type Route, reachableFrom } from './routes.js';

/** Roles that do not exist, cannot be reached or have no way on; a start and an end that are missing. */
export function checkRoutes(definition: Definition, routes: readonly Route[]): Finding[] {
  const findings = [...checkNames(definition, routes), ...checkStart(definition, routes)];
  // A slip in a name, or no start, would make every role behind it look unreachable.
  const isComplete = findings.length === 0;
  return isComplete ? checkReach(definition, routes) : findings;
}

function checkNames(definition: Definition, routes: readonly Route[]): Finding[] {
  const roles = Object.keys(definition.roles);
  const isRole = (name: string) => Object.hasOwn(definition.roles, name);
  const findings: Finding[] = [];
  const wrongFrom = new Set<string>();
  for (const { from, to, fromPath, toPath } of routes) {
    const place = fromPath.join('/');
    if (from !== START && !isRole(from) && !wrongFrom.has(place)) {
      wrongFrom.add(place);
      findings.push(unknownRole(from, [...roles, START], fromPath));
    }
    if (to === START) {
      const fix = 'Name a role: the one that $START leads to.';
      findings.push(errorFinding('edge-to-start', toPath, 'Nothing can lead to $START.', fix));
    } else if (to !== END && !isRole(to)) {
      findings.push(unknownRole(to, [...roles, END], toPath));
    }
  }
  return findings;
}

function unknownRole(name: string, known: string[], path: Finding['path']): Finding {
  const guess = nearestName(toFileName(name), known.map(toFileName));
  return errorFinding(
    'unknown-role',
    path,
    `There is no role "${toFileName(name)}".`,
    guess === null ? `Roles are ${known.map(toFileName).join(', ')}.` : `Did you mean "${guess}"?`,
  );
}

function checkStart(definition: Definition, routes: readonly Route[]): Finding[] {
  const section = definition.moderator === null ? 'graph' : 'moderator';
  if (!routes.some(({ from }) => from === START)) {
    const fix =
      section === 'graph' ? 'Add $START: {_: {role: …}}.' : 'Add {from: $START, to: …} as a rule.';
    return [errorFinding('no-start', [section], `${section} does not say where to start.`, fix)];
  }
  const edges = ownEntry(definition.graph ?? {}, START) ?? {};
  return Object.keys(edges)
    .filter((status) => status !== ANY_STATUS)
    .map((status) =>
      errorFinding(
        'start-status',
        ['graph', '$START', status],
        `$START has no status "${status}": nothing has happened yet.`,
        'Use the key "_" there, alone.',
      ),
    );
}

function checkReach(definition: Definition, routes: readonly Route[]): Finding[] {
  const section = definition.moderator === null ? 'graph' : 'moderator';
  const reached = reachableFrom(START, routes);
  const ending = leadingToEnd(routes);
  const withWay = new Set(routes.map(({ from }) => from));
  const findings: Finding[] = [];
  if (!ending.has(START)) {
    const fix = 'Let at least one role lead to $END.';
    findings.push(errorFinding('no-end', [section], 'No way leads from $START to $END.', fix));
  }
  for (const role of Object.keys(definition.roles)) {
    const path = ['roles', role];
    if (!reached.has(role)) {
      const fix = 'Lead to it from a role that is reached, or remove it.';
      findings.push(
        warningFinding('unreachable-role', path, `Role "${role}" is never reached.`, fix),
      );
    } else if (!withWay.has(role)) {
      const fix =
        section === 'graph' ? `Add graph.${role}.` : `Add {from: ${role}, to: …} as a rule.`;
      findings.push(
        errorFinding('no-edges', path, `Nothing says what comes after role "${role}".`, fix),
      );
    } else if (ending.has(START) && !ending.has(role)) {
      const message = `From role "${role}" no way leads to $END: a thread that gets there never ends.`;
      const fix = 'Let it, or a role it leads to, lead to $END.';
      findings.push(errorFinding('no-end', path, message, fix));
    }
  }
  return findings;
}
