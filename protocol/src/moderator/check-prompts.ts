import { START } from '../ids/index.js';
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
import type { Route } from './routes.js';
import { schemaVariants } from './schema-variants.js';
import { type TemplateNames, templateNames } from './template.js';

/** What a prompt may name. */
type Fields = {
  names: ReadonlySet<string>;
  /** Nothing says which fields there are. */
  unknown: boolean;
  /** More than these are expected. */
  open: boolean;
};

/** Prompts that do not parse, and names in them that nobody provides. */
export function checkPrompts(definition: Definition, routes: readonly Route[]): Finding[] {
  return routes.flatMap((route) =>
    route.prompt === null ? [] : checkPrompt(definition, route, route.prompt),
  );
}

function checkPrompt(definition: Definition, route: Route, prompt: string): Finding[] {
  const path = [...route.path, 'prompt'];
  let found: TemplateNames;
  try {
    found = templateNames(prompt);
  } catch (error) {
    const fix = 'Close every {{{name}}} and every {{#section}}…{{/section}}.';
    return [
      errorFinding(
        'prompt-syntax',
        path,
        `The prompt does not parse: ${(error as Error).message}.`,
        fix,
      ),
    ];
  }
  const partials = found.partials.map((name) => {
    const fix = 'Write the text out.';
    return errorFinding('prompt-syntax', path, `{{> ${name}}}: prompts have no partials.`, fix);
  });
  const inputs = inputFields(definition);
  const fields = route.from === START ? startFields(inputs) : roleFields(definition, route);
  const names = found.names.flatMap((name) => checkName(name, fields, inputs, route, path) ?? []);
  return [...partials, ...names];
}

function checkName(
  name: string,
  fields: Fields,
  inputs: Fields,
  route: Route,
  path: Finding['path'],
): Finding | null {
  const [first = '', second, third] = name.split('.');
  if (first === 'start') {
    const isKnown = second === undefined || second === 'prompt' || second === 'inputs';
    if (!isKnown)
      return unknownName(name, new Set(['start.prompt', 'start.inputs']), route, path, true);
    const isInput = second === 'inputs' && third !== undefined;
    if (!isInput || provides(inputs, third) || inputs.open) return null;
    return unknownName(
      name,
      new Set([...inputs.names].map((input) => `start.inputs.${input}`)),
      { from: START, status: null },
      path,
      !inputs.unknown,
    );
  }
  if (provides(fields, first) || fields.open) return null;
  return unknownName(first, fields.names, route, path, !fields.unknown);
}

function provides(fields: Fields, name: string): boolean {
  return fields.names.has(name);
}

function unknownName(
  name: string,
  known: ReadonlySet<string>,
  { from, status }: Pick<Route, 'from' | 'status'>,
  path: Finding['path'],
  isSure: boolean,
): Finding {
  const guess = nearestName(name, known);
  const outcome = status === null || status === ANY_STATUS ? '' : ` with status "${status}"`;
  const make = isSure ? errorFinding : warningFinding;
  return make(
    'unknown-variable',
    path,
    `{{{${name}}}} would print nothing: ${toFileName(from)}${outcome} does not provide it.`,
    guess !== null ? `Did you mean {{{${guess}}}}?` : fixOf(name, from, known),
  );
}

function fixOf(name: string, from: string, known: ReadonlySet<string>): string {
  if (name === 'prompt') return "The user's prompt is {{{start.prompt}}} here.";
  const place = from === START ? '"inputs"' : `roles.${from}.frontmatter`;
  const names = known.size === 0 ? '' : ` Known here: ${[...known].join(', ')}.`;
  return `Describe it in the properties of ${place}, or remove it.${names}`;
}

function startFields(inputs: Fields): Fields {
  return { ...inputs, names: new Set([...inputs.names, 'prompt']) };
}

function inputFields({ inputs }: Definition): Fields {
  const variants = inputs === null ? [] : schemaVariants(inputs);
  return {
    names: new Set(variants.flatMap(({ fields }) => [...fields])),
    unknown: false,
    open: variants.some(({ open }) => open),
  };
}

/** Fields of the alternatives of the role's answer that this route can follow. */
function roleFields(definition: Definition, { from, status }: Route): Fields {
  const schema = ownEntry(definition.roles, from)?.frontmatter ?? {};
  const variants = schemaVariants(schema).filter(
    ({ statuses }) =>
      status === null || status === ANY_STATUS || statuses === null || statuses.has(status),
  );
  const names = new Set(variants.flatMap(({ fields }) => [...fields]));
  return {
    names: new Set([...names, '$status']),
    unknown: [...names].every((name) => name === '$status'),
    open: variants.some(({ open }) => open),
  };
}
