import type { Hash } from '@uncaged/protocol/ids';
import type { Definition } from '@uncaged/protocol/workflow';
import { builtinSources } from '../workflows/index.js';
import { parseDefinitionText } from './definition-source.js';

export function builtinNames(): string[] {
  return [...builtinSources.keys()].sort();
}

export type Builtin = { definition: Definition; source: string };

/** What has been read of the sources, which are constants: reading one takes tens of ms, and every list shows them. */
const read = new Map<string, Builtin>();
const hashes = new WeakMap<Definition, Hash>();

/** A built-in definition and its source text, or null. Built-ins are never copied into the registry. */
export function builtinDefinition(name: string): Builtin | null {
  const known = read.get(name) ?? readBuiltin(name);
  if (known !== null) read.set(name, known);
  return known;
}

/** The hash of a built-in definition; `hashOf` is asked the first time only. */
export function builtinHash(
  definition: Definition,
  hashOf: (definition: Definition) => Hash,
): Hash {
  const hash = hashes.get(definition) ?? hashOf(definition);
  hashes.set(definition, hash);
  return hash;
}

function readBuiltin(name: string): Builtin | null {
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
