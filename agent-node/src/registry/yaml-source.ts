import { JSON_MAX_DEPTH } from '@uncaged/protocol/limits';
import {
  type Document,
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  type YAMLError,
} from 'yaml';
import { composeYaml } from '../yaml/index.js';
import { YAML_EXPANDED_MAX_NODES } from './limits.js';

/** 1-based; columns count UTF-16 units, as editors do. */
export type Position = { line: number; column: number };

export type SourceFinding = Position & {
  severity: 'error' | 'warning';
  code: string;
  path: (string | number)[];
  message: string;
  fix: string;
};

export type YamlSource = {
  /** Null when the text cannot be read as one YAML document at all. */
  document: Document.Parsed | null;
  /** What is wrong with the text as YAML; plain values may be taken from `document` only when there is no error. */
  findings: SourceFinding[];
  /** Position of the key (or list entry) at `path`, or of its nearest existing ancestor. */
  positionOf: (path: readonly (string | number)[]) => Position;
};

// biome-ignore lint/suspicious/noControlCharactersInRegex: finding them is the purpose
const FORBIDDEN = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]/;

const FIXES: ReadonlyMap<string, string> = new Map([
  ['TAB_AS_INDENT', 'Indent with spaces; YAML does not allow tabs there.'],
  ['BAD_INDENT', 'Align the line with its neighbours, with spaces.'],
  ['MISSING_CHAR', 'Close the quote or bracket, or put ": " between key and value.'],
  ['BLOCK_AS_IMPLICIT_KEY', 'Put text that contains ": " in quotes.'],
  ['BAD_SCALAR_START', 'Put the text in quotes.'],
]);

/** Reads YAML (and so JSON) without trusting it: depth, aliases and duplicate keys are checked, in linear time. */
export function parseYamlSource(input: string): YamlSource {
  const text = input.startsWith('\ufeff') ? input.slice(1) : input;
  const lines = new LineCounter();
  const at = (offset: number): Position => {
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(line, 1), column: Math.max(col, 1) };
  };
  const unreadable = (offset: number, code: string, message: string, fix: string): YamlSource => {
    const before = text.slice(0, offset).split('\n');
    const position = { line: before.length, column: before.at(-1)!.length + 1 };
    return {
      document: null,
      findings: [{ severity: 'error', code, path: [], message, fix, ...position }],
      positionOf: () => position,
    };
  };

  const forbidden = FORBIDDEN.exec(text);
  if (forbidden !== null) {
    const name = `U+${forbidden[0].charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`;
    return unreadable(
      forbidden.index,
      'control-character',
      `The file contains the control character ${name}, so it is damaged or not a text file.`,
      'Remove the character, or restore the file from a copy.',
    );
  }
  // Its own check finds duplicate keys, in one pass.
  const composed = composeYaml(text, { uniqueKeys: false, lines });
  if ('tooDeepAt' in composed) {
    return unreadable(composed.tooDeepAt, 'too-deep', DEEP_MESSAGE, DEEP_FIX);
  }
  const [document, second] = composed.documents;
  if (document === undefined) throw new Error('the YAML composer gave no document');
  const findings = [
    ...document.errors.map((error) => syntaxFinding(error, 'error', at)),
    ...document.warnings.map((warning) => syntaxFinding(warning, 'warning', at)),
  ];
  if (second !== undefined) {
    findings.push({
      severity: 'error',
      code: 'yaml-syntax',
      path: [],
      message: 'The file contains more than one YAML document.',
      fix: 'Keep one document per file: remove the "---" line and what follows it.',
      ...at(second.range[0]),
    });
  }
  if (document.contents !== null) inspect(document, at, findings);
  return { document, findings, positionOf: (path) => locate(document, path, at) };
}

const DEEP_MESSAGE = `The file is nested deeper than ${JSON_MAX_DEPTH} levels.`;
const DEEP_FIX = 'Flatten it; no workflow needs this.';

function syntaxFinding(
  error: YAMLError,
  severity: 'error' | 'warning',
  at: (offset: number) => Position,
): SourceFinding {
  return {
    severity,
    code: error.code === 'TAB_AS_INDENT' ? 'yaml-tab' : 'yaml-syntax',
    path: [],
    message: `${error.message}.`,
    fix: FIXES.get(error.code) ?? 'Correct the line; quotes around the value often help.',
    ...at(error.pos[0]),
  };
}

type Extent = { nodes: number; depth: number };

/** Duplicate keys, and aliases that are unknown, inside themselves, or expand without measure. */
function inspect(
  document: Document.Parsed,
  at: (offset: number) => Position,
  findings: SourceFinding[],
): void {
  const anchors = new Map<string, Extent | 'open'>();
  let stopped = false;
  const report = (
    node: Node | null,
    code: string,
    message: string,
    fix: string,
    path: SourceFinding['path'],
  ) => {
    findings.push({ severity: 'error', code, path, message, fix, ...at(node?.range?.[0] ?? 0) });
  };

  const walk = (node: unknown, path: (string | number)[]): Extent => {
    if (!isNode(node) || stopped) return { nodes: 1, depth: 0 };
    if (isAlias(node)) {
      const target = anchors.get(node.source);
      if (target === undefined || target === 'open') {
        const what = target === undefined ? 'is not defined before it is used' : 'contains itself';
        report(
          node,
          'yaml-alias',
          `The anchor "${node.source}" ${what}.`,
          'Write the value out instead.',
          path,
        );
        return { nodes: 1, depth: 0 };
      }
      return target;
    }
    const anchor = node.anchor;
    if (anchor !== undefined) anchors.set(anchor, 'open');
    const extent: Extent = { nodes: 1, depth: 0 };
    const add = (child: Extent) => {
      extent.nodes += child.nodes;
      extent.depth = Math.max(extent.depth, child.depth + 1);
    };
    if (isMap(node)) {
      const keys = new Set<string>();
      for (const pair of node.items) {
        if (!isScalar(pair.key)) {
          const place = isNode(pair.key) ? pair.key : node;
          report(
            place,
            'yaml-key',
            'A key must be plain text.',
            'Write the key as one word or in quotes.',
            path,
          );
          continue;
        }
        if (pair.key.anchor !== undefined) anchors.set(pair.key.anchor, { nodes: 1, depth: 0 });
        const key = keyText(pair.key);
        if (keys.has(key)) {
          const fix = 'Keep one of the two.';
          report(pair.key, 'yaml-duplicate-key', `The key "${key}" is there twice.`, fix, [
            ...path,
            key,
          ]);
        }
        keys.add(key);
        add(walk(pair.value, [...path, key]));
      }
    } else if (isSeq(node)) {
      node.items.forEach((item, index) => {
        add(walk(item, [...path, index]));
      });
    }
    if (anchor !== undefined) anchors.set(anchor, extent);
    if (!stopped && extent.nodes > YAML_EXPANDED_MAX_NODES) {
      stopped = true;
      const message = `With its aliases followed the file has more than ${YAML_EXPANDED_MAX_NODES} values.`;
      report(
        node,
        'yaml-alias-bomb',
        message,
        'Write the values out instead of nesting aliases.',
        path,
      );
    } else if (!stopped && extent.depth > JSON_MAX_DEPTH) {
      stopped = true;
      report(node, 'too-deep', DEEP_MESSAGE, DEEP_FIX, path);
    }
    return extent;
  };
  walk(document.contents, []);
}

function keyText(key: unknown): string {
  return isScalar(key) ? String(key.value) : String(key);
}

function locate(
  document: Document.Parsed,
  path: readonly (string | number)[],
  at: (offset: number) => Position,
): Position {
  let node: unknown = document.contents;
  let offset = isNode(node) ? (node.range?.[0] ?? 0) : 0;
  for (const step of path) {
    if (isAlias(node)) node = node.resolve(document);
    if (isMap(node)) {
      const pair = node.items.find((item) => keyText(item.key) === String(step));
      if (pair === undefined) break;
      if (isNode(pair.key)) offset = pair.key.range?.[0] ?? offset;
      node = pair.value;
    } else if (isSeq(node)) {
      const item: unknown = node.items[Number(step)];
      if (item === undefined) break;
      if (isNode(item)) offset = item.range?.[0] ?? offset;
      node = item;
    } else break;
  }
  return at(offset);
}
