import { Problem } from '@uncaged/protocol/problem';
import type { Command } from 'commander';
import { workflowDetail, workflowEntry, workflowHistoryItems } from '../views/index.js';
import type { CliContext } from './context.js';
import { parseVersion } from './ids.js';
import { formatTimeShort, type Output, renderTerminalLine } from './output/index.js';
import { subcommand } from './program.js';
import {
  type Action,
  type CommandInput,
  command,
  commandWithoutStore,
  type StoreCommandInput,
} from './run-command.js';
import { printWorkflow } from './workflow-text.js';
import { workflowYaml } from './workflow-view.js';

/** Lazily, so that a command reads only what it needs. */
const registryModule = () => import('../registry/index.js');
const EXIT_FINDINGS = 2;

export function register(workflow: Command, context: CliContext): void {
  subcommand(workflow, 'add', 'register a file as the new version of its workflow')
    .argument('<file...>')
    .usage('[options] [name] <file>')
    .action(command(context, add));
  subcommand(workflow, 'list', 'workflows that can be run from here').action(
    command(context, list),
  );
  subcommand(workflow, 'show', 'roles, edges and versions of a workflow')
    .argument('<workflow>', 'name, file (./file.yaml) or version')
    .option('--format <format>', 'text (short), yaml (everything) or json', 'text')
    .option('--source', 'the text it was written as, with its comments')
    .action(command(context, show));
  subcommand(workflow, 'check', 'look for mistakes in a file without registering it')
    .argument('<file>')
    .action(commandWithoutStore(context, check));
  subcommand(workflow, 'rm', 'take a workflow out of the registry')
    .alias('remove')
    .argument('<name>')
    .action(command(context, remove));
  subcommand(workflow, 'history', 'versions of a workflow, newest first')
    .argument('<name>')
    .action(command(context, history));
  subcommand(workflow, 'rollback', 'go back to the version before, or to a given one')
    .argument('<name>')
    .argument('[hash]')
    .action(command(context, rollback));
  subcommand(workflow, 'schema', 'JSON Schema of workflow files, for editors').action(
    commandWithoutStore(context, schema),
  );
}

const add: Action<StoreCommandInput> = async ({ store, json, out, err, cwd, clock }, args) => {
  const { addDefinition } = await registryModule();
  const [first, second, third] = args;
  if (third !== undefined) {
    throw new Problem('invalid-argument', 'Too many arguments: `uwf workflow add [name] <file>`.');
  }
  const file = second ?? first!;
  const name = second === undefined ? {} : { name: first! };
  const added = await addDefinition(store, file, { ...name, cwd, clock });
  await printFindings(err, file, added.findings);
  if (json) {
    out.json(added);
    return;
  }
  const was = added.previous === null ? '' : ` (was ${added.previous})`;
  if (added.change === 'unchanged') {
    out.line(`unchanged: workflow "${added.name}" is already ${added.hash}`);
  } else out.line(`${added.change} workflow "${added.name}" ${added.hash}${was}`);
};

const list: Action<StoreCommandInput> = async ({ store, json, out, cwd }) => {
  const { listWorkflows } = await registryModule();
  const workflows = await listWorkflows(store, { cwd });
  if (json) {
    out.json({
      items: workflows.map((listed) => ({ ...workflowEntry(listed), path: listed.path })),
    });
    return;
  }
  const columns = [
    { header: 'NAME', style: out.colors.bold },
    { header: 'VERSION' },
    { header: 'FROM' },
    { header: 'REGISTERED' },
    { header: 'DESCRIPTION', flexible: true },
  ];
  out.table(
    columns,
    workflows.map((entry) => [
      entry.name,
      entry.hash ?? 'broken',
      entry.origin,
      localTime(entry.timestamp),
      entry.problem ?? entry.description,
    ]),
  );
};

const show: Action<StoreCommandInput> = async ({ store, json, out, cwd }, [workflow], options) => {
  const { showWorkflow, workflowSource } = await registryModule();
  const { format } = options;
  if (format !== 'text' && format !== 'yaml' && format !== 'json') {
    throw new Problem('invalid-argument', '--format is text, yaml or json.');
  }
  const shown = await showWorkflow(store, workflow!, { cwd });
  const source = options.source === true ? await workflowSource(store, shown) : null;
  if (json || format === 'json')
    out.json({
      ...(await workflowDetail(shown)),
      // The definition under its own field names, beside the form of the API.
      path: shown.path,
      definition: shown.definition,
      ...(source === null ? {} : { source }),
    });
  else if (source !== null) out.text(source);
  else if (format === 'yaml') out.text(await workflowYaml(shown));
  else printWorkflow(out, shown);
};

const check: Action<CommandInput> = async ({ root, json, out, cwd }, [file]) => {
  const { readConfig, readDefinitionFile } = await registryModule();
  const { resolve } = await import('node:path');
  const { agents } = await readConfig(root);
  const { definition, findings } = await readDefinitionFile(resolve(cwd, file!), [
    ...agents.keys(),
  ]);
  const errors = findings.filter((finding) => finding.severity === 'error').length;
  if (json) {
    out.json({ file, ok: errors === 0, name: definition?.name ?? null, findings });
  } else {
    await printFindings(out, file!, findings);
    const warnings = findings.length - errors;
    const counts = [count(errors, 'error'), count(warnings, 'warning')].filter(
      (text) => text !== '',
    );
    out.line(counts.length === 0 ? `${renderTerminalLine(file!)}: no findings` : counts.join(', '));
  }
  return errors === 0 ? 0 : EXIT_FINDINGS;
};

const remove: Action<StoreCommandInput> = async ({ store, json, out }, [name]) => {
  const { removeWorkflow } = await registryModule();
  await removeWorkflow(store, name!);
  if (json) out.json({ name, removed: true });
  else out.line(`removed workflow "${name}" from registry`);
};

const history: Action<StoreCommandInput> = async ({ store, json, out }, [name]) => {
  const { workflowHistory } = await registryModule();
  const versions = await workflowHistory(store, name!);
  if (json) {
    out.json({ items: workflowHistoryItems(versions) });
    return;
  }
  out.table(
    [{ header: '' }, { header: 'VERSION' }, { header: 'KIND' }, { header: 'REGISTERED' }],
    versions.map((version, index) => [
      index === 0 ? '*' : ' ',
      version.hash,
      version.kind,
      version.timestamp === null ? 'built in' : localTime(version.timestamp),
    ]),
  );
};

const rollback: Action<StoreCommandInput> = async ({ store, json, out, err }, [name, text]) => {
  const { rollbackWorkflow, workflowHistory } = await registryModule();
  const hash =
    text === undefined
      ? undefined
      : parseVersion(
          (await workflowHistory(store, name!)).map((version) => version.hash),
          text,
        );
  const result = await rollbackWorkflow(store, name!, hash);
  if (json) out.json(result);
  else {
    out.line(`rolled back workflow "${result.name}"`);
    err.line(`now ${result.hash}, was ${result.previous}`);
  }
};

const schema: Action<CommandInput> = async ({ out }) => {
  const { definitionFileJsonSchema } = await import('@uncaged/protocol/workflow');
  out.json(definitionFileJsonSchema());
};

type Findings = Awaited<
  ReturnType<Awaited<ReturnType<typeof registryModule>>['readDefinitionFile']>
>['findings'];

/** `file:line:column: error: what is wrong`, what to do below it. */
async function printFindings(output: Output, file: string, findings: Findings): Promise<void> {
  const { colors } = output;
  for (const { line, column, severity, message, fix } of findings) {
    const place = renderTerminalLine(`${file}:${line}:${column}`);
    const word = severity === 'error' ? colors.red(severity) : colors.yellow(severity);
    output.line(`${colors.bold(place)}: ${word}: ${renderTerminalLine(message)}`);
    if (fix !== '') output.line(`    ${renderTerminalLine(fix)}`);
  }
}

function count(number: number, word: string): string {
  if (number === 0) return '';
  return number === 1 ? `1 ${word}` : `${number} ${word}s`;
}

function localTime(ms: number | null): string | null {
  return ms === null ? null : formatTimeShort(ms);
}
