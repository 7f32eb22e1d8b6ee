import { hashSchema, workflowNameSchema } from '@uncaged/protocol/ids';
import { valueFaults } from '@uncaged/protocol/workflow';
import { type Document, isMap, isScalar, isSeq, type YAMLMap } from 'yaml';
import { z } from 'zod';
import { type ConfigError, within } from './config-error.js';

const versionShape = {
  /** Definition: its node's hash. Bundle: XXH64 of the file's bytes. */
  hash: hashSchema,
  kind: z.enum(['definition', 'bundle']),
  /** When it was registered, ms since epoch. */
  timestamp: z.int().nonnegative(),
  /** Content hash of the source text. */
  source: hashSchema.nullable().default(null),
};

export const registryVersionSchema = z.object(versionShape);
export const registryEntrySchema = z.object({
  ...versionShape,
  /** Earlier versions, newest first. */
  history: z.array(registryVersionSchema).default([]),
});

/** One version of a registered workflow. */
export type RegistryVersion = z.infer<typeof registryVersionSchema>;
/** What `workflows.<name>` of workflow.yaml holds. */
export type RegistryEntry = z.infer<typeof registryEntrySchema>;

/** The `workflows` section of a parsed file; errors name the path that is wrong. */
export function readEntries(document: Document.Parsed): {
  entries: Map<string, RegistryEntry>;
  errors: ConfigError[];
} {
  const entries = new Map<string, RegistryEntry>();
  const errors: ConfigError[] = [];
  const section: unknown = isMap(document.contents)
    ? document.contents.get('workflows', true)
    : undefined;
  if (section === undefined || (isScalar(section) && section.value === null))
    return { entries, errors };
  if (!isMap(section)) {
    errors.push({ path: ['workflows'], message: 'must map names to versions.' });
    return { entries, errors };
  }
  for (const pair of section.items) {
    const name = isScalar(pair.key) ? String(pair.key.value) : String(pair.key);
    if (!workflowNameSchema.safeParse(name).success) {
      errors.push({
        path: ['workflows', name],
        message: 'is not a workflow name (lower-case words joined by "-").',
      });
      continue;
    }
    const value = entryValue(document, pair.value);
    const parsed = registryEntrySchema.safeParse(value);
    if (parsed.success) entries.set(name, parsed.data);
    else errors.push(...within(['workflows', name], valueFaults(parsed.error.issues, value)));
  }
  return { entries, errors };
}

/** Plain value; a hash that YAML takes for a number (all digits, or like 12E45) is read as it is written. */
function entryValue(document: Document.Parsed, node: unknown): unknown {
  const value = isMap(node) || isSeq(node) || isScalar(node) ? node.toJS(document) : node;
  const restore = (map: unknown, target: unknown) => {
    if (!isMap(map) || typeof target !== 'object' || target === null) return;
    for (const key of ['hash', 'source'] as const) {
      const scalar: unknown = map.get(key, true);
      if (isScalar(scalar) && typeof scalar.value === 'number' && scalar.source !== undefined) {
        (target as Record<string, unknown>)[key] = scalar.source;
      }
    }
  };
  restore(node, value);
  const history: unknown = isMap(node) ? node.get('history', true) : undefined;
  if (isSeq(history)) {
    const values: unknown = (value as { history: unknown }).history;
    if (Array.isArray(values))
      history.items.forEach((item, index) => void restore(item, values[index]));
  }
  return value;
}

/** Writes an entry in place, so that comments on the entry and its fields stay. */
export function writeEntry(document: Document.Parsed, name: string, entry: RegistryEntry): void {
  const section = workflowsSection(document);
  const existing: unknown = section.get(name, true);
  if (!isMap(existing)) {
    section.set(name, document.createNode(entry));
    return;
  }
  for (const key of ['hash', 'kind', 'timestamp', 'source'] as const) existing.set(key, entry[key]);
  existing.set('history', document.createNode(entry.history));
}

export function deleteEntry(document: Document.Parsed, name: string): void {
  workflowsSection(document).delete(name);
}

function workflowsSection(document: Document.Parsed): YAMLMap {
  if (!isMap(document.contents)) {
    document.set('workflows', document.createNode({}));
  }
  const root = document.contents as unknown as YAMLMap;
  const present: unknown = root.get('workflows', true);
  if (isMap(present)) {
    // `workflows: {}` grows as a block, one line per field, so that edits diff well.
    if (present.items.length === 0) present.flow = false;
    return present as YAMLMap;
  }
  const created = document.createNode({}) as YAMLMap;
  created.flow = false;
  root.set('workflows', created);
  return created;
}
