import type { Definition } from '@uncaged/protocol/workflow';
import { builtinSources } from '../workflows/index.js';
import { parseDefinitionText } from './definition-source.js';

export function builtinNames(): string[] {
  return [...builtinSources.keys()].sort();
}

/** A built-in definition and its source text, or null. Built-ins are never copied into the registry. */
export function builtinDefinition(name: string): { definition: Definition; source: string } | null {
  const source = builtinSources.get(name);
  if (source === undefined) return null;
  // Checked by this package's tests, so only read here.
  const { definition, findings } = parseDefinitionText(source);
  if (definition === null) {
    throw new Error(
      `built-in workflow ${name} is broken: ${findings[0]?.message ?? 'no definition'}`,
    );
  }
  return { definition, source };
}
