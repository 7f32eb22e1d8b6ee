import Mustache from 'mustache';

/** Renders one Mustache template; `fields` are looked up by their own names only. */
export type TemplateRenderer = (
  template: string,
  fields: Readonly<Record<string, unknown>>,
) => string;

/**
 * Mustache for prompts: no HTML escaping, objects and arrays print as JSON, nothing is looked up in prototypes, no
 * functions are called, no partials. Unknown names print nothing. Parsed templates are kept for the renderer's life.
 * It throws Error for a template that does not parse.
 */
export function createTemplateRenderer(): TemplateRenderer {
  const writer = new PromptWriter();
  return (template, fields) => writer.render(template, new OwnContext(fields, null));
}

/** Names a template prints or tests outside of sections; inside one, names may belong to the section's value. */
export type TemplateNames = { names: string[]; partials: string[] };

/** Throws Error for a template that does not parse. */
export function templateNames(template: string): TemplateNames {
  const names = new Set<string>();
  const partials = new Set<string>();
  const visit = (tokens: unknown[], outside: boolean) => {
    for (const token of tokens as [string, string, number, number, unknown[]?][]) {
      const [kind, name] = token;
      if (kind === '>') partials.add(name);
      if (outside && name !== '.' && ['name', '&', '{', '#', '^'].includes(kind)) names.add(name);
      if (kind === '#') visit(token[4] ?? [], false);
      // An inverted section pushes no value: names in it are the same as outside.
      if (kind === '^') visit(token[4] ?? [], outside);
    }
  };
  visit(new Mustache.Writer().parse(template), true);
  return { names: [...names], partials: [...partials] };
}

class PromptWriter extends Mustache.Writer {
  override escapedValue(token: string[], context: Mustache.Context): string {
    return print(context.lookup(token[1] ?? ''));
  }

  override unescapedValue(token: string[], context: Mustache.Context): string {
    return print(context.lookup(token[1] ?? ''));
  }
}

class OwnContext extends Mustache.Context {
  readonly #outer: OwnContext | null;

  constructor(view: unknown, outer: OwnContext | null) {
    super(view);
    this.#outer = outer;
  }

  override push(view: unknown): Mustache.Context {
    return new OwnContext(view, this);
  }

  override lookup(name: string): unknown {
    if (name === '.') return withoutFunctions(this.view);
    const [first = '', ...rest] = name.split('.');
    let scope: OwnContext | null = this;
    while (scope !== null && !owns(scope.view, first)) scope = scope.#outer;
    let value: unknown =
      scope === null ? undefined : (scope.view as Record<string, unknown>)[first];
    for (const key of rest)
      value = owns(value, key) ? (value as Record<string, unknown>)[key] : undefined;
    return withoutFunctions(value);
  }
}

function owns(value: unknown, key: string): boolean {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, key);
}

function withoutFunctions(value: unknown): unknown {
  return typeof value === 'function' ? undefined : value;
}

function print(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
