import { DEFINITION_MAX_VALUES, JSON_MAX_DEPTH } from '../limits.js';
import type { Finding } from './finding.js';

type Path = (string | number)[];

/**
 * What a YAML or JSON parser gave, as plain JSON data: Maps and null-prototype objects become objects (a key
 * `__proto__` stays an own key), keys become text, `undefined` becomes null. Null with a finding when there is more
 * than JSON can hold: cycles, nesting beyond JSON_MAX_DEPTH, aliases that blow up, dates, NaN.
 */
export function toPlainData(raw: unknown): { value: unknown; findings: Finding[] } {
  const findings: Finding[] = [];
  let values = 0;

  function stop(code: string, path: Path, message: string, fix: string): never {
    findings.push({ severity: 'error', code, path, message, fix });
    throw new Stopped();
  }

  function visit(value: unknown, path: Path): unknown {
    values += 1;
    if (values > DEFINITION_MAX_VALUES) {
      stop(
        'too-large',
        path.slice(0, 1),
        `The file holds more than ${DEFINITION_MAX_VALUES} values once its aliases are followed.`,
        'Remove aliases that repeat each other.',
      );
    }
    if (value === null || value === undefined) return null;
    if (typeof value === 'boolean') return value;
    if (typeof value === 'string') return value.toWellFormed();
    if (typeof value === 'number' && Number.isFinite(value)) return value === 0 ? 0 : value;
    if (typeof value !== 'object' || !isContainer(value)) {
      return stop(
        'not-json',
        path,
        `${describe(value)} has no form in JSON.`,
        'Write it as text, in quotes.',
      );
    }
    if (path.length >= JSON_MAX_DEPTH) {
      stop(
        'too-deep',
        path.slice(0, 3),
        `Nested deeper than ${JSON_MAX_DEPTH} levels.`,
        'Flatten it.',
      );
    }
    if (Array.isArray(value)) return value.map((item, index) => visit(item, [...path, index]));
    const entries = value instanceof Map ? [...value] : Object.entries(value);
    // fromEntries defines properties, so `__proto__` stays data.
    return Object.fromEntries(
      entries.map(([key, item]) => {
        const name = String(key).toWellFormed();
        return [name, visit(item, [...path, name])];
      }),
    );
  }

  try {
    return { value: visit(raw, []), findings };
  } catch (error) {
    if (error instanceof Stopped) return { value: null, findings };
    throw error;
  }
}

/** Leaves the walk; the finding is already recorded. */
class Stopped extends Error {}

function isContainer(value: object): boolean {
  if (Array.isArray(value) || value instanceof Map) return true;
  const prototype = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

function describe(value: unknown): string {
  if (typeof value === 'number' || typeof value === 'bigint') return String(value);
  return typeof value === 'object'
    ? (value?.constructor?.name ?? 'An object')
    : `A ${typeof value}`;
}
