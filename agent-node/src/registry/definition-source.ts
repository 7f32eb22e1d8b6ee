import { isUtf8 } from 'node:buffer';
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { DEFINITION_MAX_BYTES } from '@uncaged/protocol/limits';
import { Problem } from '@uncaged/protocol/problem';
import {
  type Definition,
  errorFinding,
  type Finding,
  parseDefinitionFile,
} from '@uncaged/protocol/workflow';
import { isMap } from 'yaml';
import { FINDINGS_SHOWN_MAX, YAML_EXPANDED_MAX_NODES } from './limits.js';
import { quoted } from './near-names.js';
import { parseYamlSource, type SourceFinding, type YamlSource } from './yaml-source.js';

/** A workflow file as read and checked. */
export type DefinitionSource = {
  /** Null when a finding is an error that leaves nothing to run. */
  definition: Definition | null;
  /** The text as it stands in the file; '' when it is not text. */
  source: string;
  /** In order of line and column. */
  findings: SourceFinding[];
};

/**
 * Reads and checks a YAML or JSON workflow file. What is wrong inside is findings; throws file-not-found and
 * invalid-argument when there is no readable file. `agents`: names the node knows, null = do not check them.
 */
export async function readDefinitionFile(
  path: string,
  agents: readonly string[] | null,
): Promise<DefinitionSource> {
  const bytes = await readBounded(path);
  if (bytes.length > DEFINITION_MAX_BYTES) return tooLarge();
  if (!isUtf8(bytes)) {
    return unreadable(
      'not-utf-8',
      invalidByte(bytes),
      'The file is not UTF-8 text.',
      'Save it as UTF-8.',
    );
  }
  return checkDefinitionText(bytes.toString('utf8'), agents);
}

/** The same for text at hand. */
export async function checkDefinitionText(
  text: string,
  agents: readonly string[] | null,
): Promise<DefinitionSource> {
  if (Buffer.byteLength(text) > DEFINITION_MAX_BYTES) return tooLarge();
  const parsed = parseDefinitionText(text);
  if (parsed.definition === null) return parsed;
  // Only now: it brings the evaluator of rules with it, which the start of a command does not need.
  const { checkDefinition } = await import('@uncaged/protocol/moderator');
  const checked = checkDefinition(parsed.definition, { agents });
  const faults = await schemaFindings(parsed.definition);
  const findings = [...parsed.findings, ...place([...checked, ...faults], parsed.yaml)];
  return { ...parsed, findings: inOrder(findings) };
}

/** JSON Schemas of the inputs and of the roles' answers that cannot be used. */
async function schemaFindings(definition: Definition): Promise<Finding[]> {
  const schemas: [(string | number)[], Record<string, unknown> | null][] = [
    [['inputs'], definition.inputs],
    ...Object.entries(definition.roles).map(([name, role]): (typeof schemas)[number] => [
      ['roles', name, 'frontmatter'],
      role.frontmatter,
    ]),
  ];
  const given = schemas.filter(([, schema]) => schema !== null);
  if (given.length === 0) return [];
  const { schemaFault } = await import('../extract/index.js');
  return given.flatMap(([path, schema]) => {
    const fault = schema === null ? null : schemaFault(schema);
    if (fault === null) return [];
    const message = `This JSON Schema cannot be used: ${fault}.`;
    return [errorFinding('invalid-schema', path, message, 'Correct it (draft 2020-12).')];
  });
}

/** Syntax and fields only: what a text that was checked before needs. */
export function parseDefinitionText(text: string): DefinitionSource & { yaml: YamlSource } {
  const yaml = parseYamlSource(text);
  const nothing = (findings: SourceFinding[]) => ({
    definition: null,
    source: text,
    findings: inOrder(findings),
    yaml,
  });
  if (yaml.document === null || yaml.findings.some((finding) => finding.severity === 'error')) {
    return nothing(yaml.findings);
  }
  if (!isMap(yaml.document.contents)) {
    const empty = text.trim() === '';
    return nothing([
      ...yaml.findings,
      {
        severity: 'error',
        code: empty ? 'empty-file' : 'not-a-map',
        path: [],
        message: empty
          ? 'The file is empty.'
          : 'The file must hold one object with the fields of a workflow.',
        fix: 'Begin with "name:", "roles:" and "graph:"; `uwf workflow schema` describes the format.',
        ...yaml.positionOf([]),
      },
    ]);
  }
  // Expansion was measured before, so the parser's own guess at alias bombs is turned off.
  const raw: unknown = yaml.document.toJS({ maxAliasCount: YAML_EXPANDED_MAX_NODES });
  const { definition, findings } = parseDefinitionFile(raw);
  return {
    definition,
    source: text,
    findings: inOrder([...yaml.findings, ...place(findings, yaml)]),
    yaml,
  };
}

export function hasErrors(findings: readonly SourceFinding[]): boolean {
  return findings.some((finding) => finding.severity === 'error');
}

/** invalid-definition when there is an error; its text lists `file:line:column: error: what. fix`. */
export function requireDefinition(checked: DefinitionSource, file: string): Definition {
  if (checked.definition !== null && !hasErrors(checked.findings)) return checked.definition;
  const errors = checked.findings.filter((finding) => finding.severity === 'error');
  const shown = errors
    .slice(0, FINDINGS_SHOWN_MAX)
    .map((finding) => `  ${formatFinding(file, finding)}`);
  const more = errors.length > shown.length ? `\n  … and ${errors.length - shown.length} more` : '';
  throw new Problem(
    'invalid-definition',
    `${file} is not a valid workflow:\n${shown.join('\n')}${more}`,
    {
      details: { errors: checked.findings },
    },
  );
}

/** `file:line:column: error: message fix`, as compilers print it. */
export function formatFinding(file: string, finding: SourceFinding): string {
  return `${file}:${finding.line}:${finding.column}: ${finding.severity}: ${finding.message} ${finding.fix}`.trimEnd();
}

function place(findings: readonly Finding[], yaml: YamlSource): SourceFinding[] {
  return findings.map((finding) => ({ ...finding, ...yaml.positionOf(fileWords(finding.path)) }));
}

/** Paths may speak of `__start__` and `__end__` where the file says `$START` and `$END`. */
function fileWords(path: readonly (string | number)[]): (string | number)[] {
  return path.map((step) => (step === '__start__' ? '$START' : step === '__end__' ? '$END' : step));
}

function inOrder(findings: SourceFinding[]): SourceFinding[] {
  return findings.toSorted((a, b) => a.line - b.line || a.column - b.column);
}

function unreadable(
  code: string,
  position: { line: number; column: number },
  message: string,
  fix: string,
): DefinitionSource {
  return {
    definition: null,
    source: '',
    findings: [{ severity: 'error', code, path: [], message, fix, ...position }],
  };
}

function tooLarge(): DefinitionSource {
  return unreadable(
    'too-large',
    { line: 1, column: 1 },
    `The file is larger than ${DEFINITION_MAX_BYTES} bytes.`,
    'Move long texts out of the workflow; a definition describes, it does not carry data.',
  );
}

function invalidByte(bytes: Buffer): { line: number; column: number } {
  let line = 1;
  for (let start = 0; start <= bytes.length; line++) {
    const newline = bytes.indexOf(0x0a, start);
    const end = newline < 0 ? bytes.length : newline;
    const text = bytes.subarray(start, end);
    if (!isUtf8(text)) return { line, column: text.toString('utf8').indexOf('\ufffd') + 1 };
    start = end + 1;
  }
  return { line: 1, column: 1 };
}

/** One byte more than allowed at most, so that a device or a huge file costs nothing. */
async function readBounded(path: string): Promise<Buffer> {
  try {
    // Opening a pipe would otherwise wait for somebody who writes into it.
    const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      if (!(await file.stat()).isFile()) {
        throw new Problem(
          'invalid-argument',
          `${quoted(path)} is not a regular file. Give a YAML or JSON file.`,
        );
      }
      const buffer = Buffer.alloc(DEFINITION_MAX_BYTES + 1);
      let length = 0;
      while (length < buffer.length) {
        const { bytesRead } = await file.read(buffer, length, buffer.length - length, length);
        if (bytesRead === 0) break;
        length += bytesRead;
      }
      return buffer.subarray(0, length);
    } finally {
      await file.close();
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'ENAMETOOLONG') {
      throw new Problem('file-not-found', `There is no file ${quoted(path)}. Check the path.`, {
        cause: error,
      });
    }
    if (code === 'EACCES' || code === 'EPERM' || code === 'EISDIR' || code === 'ELOOP') {
      throw new Problem('invalid-argument', `${quoted(path)} cannot be read (${code}).`, {
        cause: error,
      });
    }
    if (code === 'ERR_INVALID_ARG_VALUE') {
      throw new Problem('invalid-argument', `${quoted(path)} is not a file name.`, {
        cause: error,
      });
    }
    throw error;
  }
}
