import { open, readFile, rename } from 'node:fs/promises';
import { nodeSchema, threadSummarySchema } from '@uncaged/protocol/api';
import { labelsSchema, nodeNameSchema } from '@uncaged/protocol/ids';
import { allowSchema } from '@uncaged/protocol/link';
import { Problem } from '@uncaged/protocol/problem';
import { z } from 'zod';
import type { Log } from '../log.js';
import type { KnownNode } from './types.js';

const FILE_MODE = 0o600;
const VERSION = 1;

const timeMsSchema = z.number().nonnegative();

const knownNodeSchema = z.object({
  hello: z.object({
    node: nodeNameSchema,
    version: z.string(),
    labels: labelsSchema,
    allow: z.array(allowSchema),
  }),
  state: z.enum(['online', 'offline', 'update-needed']),
  since: timeMsSchema,
  gateway: z.string(),
  // Written by an older or a newer version it may have another form; it is seen anew once the node is there.
  seen: z
    .object({ at: timeMsSchema, node: nodeSchema, threads: z.array(threadSummarySchema) })
    .nullable()
    .catch(null),
}) satisfies z.ZodType<KnownNode>;

const fileSchema = z.object({
  version: z.literal(VERSION),
  /** Who is online in the file was so at this time, ms since epoch. */
  writtenAt: timeMsSchema,
  nodes: z.array(knownNodeSchema),
});

/**
 * The nodes of the file, all of them offline; none when there is no file. A damaged one is kept aside, the log says where.
 * Throws `invalid-config` when the file cannot be read or moved.
 */
export async function readNodesFile(
  file: string,
  now: () => number,
  log: Log,
): Promise<KnownNode[]> {
  const text = await readText(file);
  if (text === null) return [];
  const parsed = parse(text);
  if ('damage' in parsed) {
    const aside = `${file}.damaged-${new Date(now()).toISOString().replaceAll(':', '-')}`;
    await rename(file, aside).catch((cause: unknown) => {
      throw unusable(file, 'is damaged and cannot be moved away', cause);
    });
    log(
      'PPFXGAPR',
      `${file} is damaged (${parsed.damage}) and kept as ${aside}; nodes are known again as they connect`,
    );
    return [];
  }
  return parsed.nodes.map((known) => offline(known, parsed.writtenAt));
}

/** Writes them so that the file is always whole: the old or the new one. */
export async function writeNodesFile(
  file: string,
  nodes: Iterable<KnownNode>,
  writtenAt: number,
  batchCharacters: number,
): Promise<void> {
  const temporary = `${file}.tmp`;
  const handle = await open(temporary, 'w', FILE_MODE);
  try {
    // One that was left behind keeps the mode it had.
    await handle.chmod(FILE_MODE);
    let batch = `{"version":${VERSION},"writtenAt":${writtenAt},"nodes":[`;
    let separator = '\n';
    for (const known of nodes) {
      batch += separator + JSON.stringify(known);
      separator = ',\n';
      if (batch.length < batchCharacters) continue;
      await handle.writeFile(batch);
      batch = '';
    }
    await handle.writeFile(`${batch}\n]}\n`);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(temporary, file);
}

async function readText(file: string): Promise<string | null> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw unusable(file, 'cannot be read', error);
  }
}

function parse(text: string): z.infer<typeof fileSchema> | { damage: string } {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { damage: error instanceof Error ? error.message : String(error) };
  }
  const checked = fileSchema.safeParse(value);
  return checked.success ? checked.data : { damage: z.prettifyError(checked.error) };
}

/** How a node stands after a restart: away since it was last there. */
function offline(known: KnownNode, writtenAt: number): KnownNode {
  const since =
    known.state === 'online' ? Math.max(known.since, known.seen?.at ?? 0, writtenAt) : known.since;
  return { ...known, state: 'offline', since };
}

function unusable(file: string, why: string, cause: unknown): Problem {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new Problem(
    'invalid-config',
    `${file} ${why}: ${reason}. Give the gateway access to it, or remove it.`,
    { cause },
  );
}
