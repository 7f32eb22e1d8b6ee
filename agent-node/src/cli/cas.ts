import { type NodeType, payloadSchemas, validateNode } from '@uncaged/protocol/cas';
import { JSON_MAX_DEPTH } from '@uncaged/protocol/limits';
import { Problem } from '@uncaged/protocol/problem';
import { type Command, InvalidArgumentError } from 'commander';
import { register as registerGc } from './cas/gc.js';
import { register as registerRefs } from './cas/refs.js';
import { register as registerVerify } from './cas/verify.js';
import type { CliContext } from './context.js';
import { parseHash } from './ids.js';
import { NODE_INPUT_MAX_BYTES, STORE_PAGE_ROWS } from './limits.js';
import { jsonText } from './output/index.js';
import { subcommand } from './program.js';
import { readStdin } from './read-stdin.js';
import { type Action, command, type StoreCommandInput } from './run-command.js';

const TYPES = Object.keys(payloadSchemas) as NodeType[];
const TYPE_WIDTH = Math.max(...TYPES.map((type) => type.length));

export function register(cas: Command, context: CliContext): void {
  subcommand(cas, 'get', 'print a node')
    .argument('<hash>', 'whole, or at least its first 6 characters')
    .option('--raw', 'the canonical bytes as they are stored and hashed')
    .option('--text', 'the text or output it stands for, as it is')
    .action(command(context, get));
  subcommand(cas, 'put', 'store a text and print its hash')
    .alias('put-text')
    .argument('[text]', 'standard input when absent or "-"')
    .option('--node', 'the text is a node {type, payload}; check it and store it as such')
    .action(command(context, put));
  subcommand(cas, 'list', 'hash, type and size in bytes of what is stored')
    .option('--type <type>', `only ${TYPES.join(', ')}`, parseType)
    .option('--limit <n>', 'at most so many', parseLimit)
    .action(command(context, list));
  subcommand(cas, 'rm', 'remove an entry that nothing needs')
    .argument('<hash>')
    .action(command(context, remove));
  registerRefs(subcommand(cas, 'refs', 'what a node refers to, and what refers to it'), context);
  registerGc(subcommand(cas, 'gc', 'delete what no thread and no workflow needs'), context);
  registerVerify(
    subcommand(cas, 'verify', 'hash everything again and name what is damaged'),
    context,
  );
}

const get: Action<StoreCommandInput> = async ({ store, json, out }, [text], options) => {
  const hash = parseHash(store, text!);
  if (options.raw === true) {
    out.write(store.nodes.getBytes(hash)!);
    return;
  }
  if (options.text === true) {
    // A terminal gets what is safe for it, a file or a pipe the bytes.
    if (out.isTTY) out.text(store.nodes.readText(hash));
    else for (const chunk of store.nodes.contentChunks(hash)) out.write(chunk);
    return;
  }
  const node = store.nodes.get(hash)!;
  if (json) out.json({ hash, ...node });
  else {
    const { yamlText } = await import('./output/yaml.js');
    out.text(yamlText(node));
  }
};

const put: Action<StoreCommandInput> = async ({ store, json, out, stdin }, [text], options) => {
  const given = text === undefined || text === '-' ? null : text;
  const hash = await (options.node === true
    ? putNode(store, given, stdin)
    : putText(store, given, stdin));
  if (json) out.json({ hash });
  else out.line(hash);
};

type Store = StoreCommandInput['store'];
type Stdin = StoreCommandInput['stdin'];

async function putText(store: Store, text: string | null, stdin: Stdin): Promise<string> {
  if (text !== null) return store.write('full', () => store.nodes.putText(text));
  const { createContentWriter } = await import('../store/index.js');
  const writer = createContentWriter(store);
  for await (const chunk of stdin)
    writer.write(typeof chunk === 'string' ? Buffer.from(chunk) : chunk);
  const { hash, put: write } = writer.seal();
  store.write('full', write);
  return hash;
}

async function putNode(store: Store, text: string | null, stdin: Stdin): Promise<string> {
  const source = text ?? (await readStdin(stdin, NODE_INPUT_MAX_BYTES)).toString('utf8');
  const node = validateNode(parseJson(source));
  const missing = node.refs.find((ref) => !store.nodes.has(ref));
  if (missing !== undefined) {
    throw new Problem(
      'invalid-node',
      `The node refers to ${missing}, which is not in the store. Put that first.`,
    );
  }
  return store.write('full', () => store.nodes.put(node.type, node.payload, node.refs));
}

function parseJson(source: string): unknown {
  try {
    return JSON.parse(source);
  } catch (error) {
    if (error instanceof RangeError) {
      throw new Problem(
        'invalid-node',
        `The JSON is nested deeper than ${JSON_MAX_DEPTH} levels.`,
        { cause: error },
      );
    }
    if (!(error instanceof SyntaxError)) throw error;
    throw new Problem('invalid-node', 'The node is not JSON. Give {"type": …, "payload": {…}}.', {
      cause: error,
    });
  }
}

/** Page by page, so that a store of a million nodes begins to print at once. */
const list: Action<StoreCommandInput> = ({ store, json, out }, _, options) => {
  const type = options.type as NodeType | undefined;
  let left = (options.limit as number | undefined) ?? Number.POSITIVE_INFINITY;
  let after: string | undefined;
  let first = true;
  if (json) out.write('{"items": [');
  else out.line(out.colors.bold(`${'HASH'.padEnd(13)}  ${'TYPE'.padEnd(TYPE_WIDTH)}  SIZE`));
  while (left > 0) {
    const limit = Math.min(STORE_PAGE_ROWS, left);
    const page = store.nodes.list({
      limit,
      ...(type === undefined ? {} : { type }),
      ...(after === undefined ? {} : { after }),
    });
    for (const row of page) {
      if (json) out.write(`${first ? '' : ','}\n  ${jsonText(row)}`);
      else out.line(`${row.hash}  ${row.type.padEnd(TYPE_WIDTH)}  ${row.size}`);
      first = false;
    }
    if (page.length < limit) break;
    left -= page.length;
    after = page.at(-1)!.hash;
  }
  if (json) out.write(first ? ']}\n' : '\n]}\n');
};

const remove: Action<StoreCommandInput> = async ({ store, root, json, out }, [text]) => {
  const { registryRoots } = await import('../registry/index.js');
  const hash = parseHash(store, text!);
  const roots = await registryRoots(root);
  store.write('full', () => store.nodes.remove(hash, roots));
  if (json) out.json({ hash, removed: true });
  else out.line(`removed cas entry ${hash}`);
};

function parseType(text: string): NodeType {
  const type = TYPES.find((candidate) => candidate === text);
  if (type === undefined) throw new InvalidArgumentError(`Types are ${TYPES.join(', ')}.`);
  return type;
}

function parseLimit(text: string): number {
  const number = Number(text);
  if (!Number.isInteger(number) || number < 1)
    throw new InvalidArgumentError('Give a whole number from 1.');
  return number;
}
