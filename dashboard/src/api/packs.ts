import { type ImportLine, PACK_MEDIA_TYPE, Problem } from '@uncaged/protocol/api';

/** Where a thread is to be had as a pack, for a link that downloads. */
export function packPath(node: string, id: string): string {
  return `/api/nodes/${encodeURIComponent(node)}/packs/${encodeURIComponent(id)}`;
}

/** How far it is: bytes that went out, then the node's own work. */
export type ImportProgress =
  | { phase: 'sending'; done: number; total: number }
  | { phase: 'storing'; done: number };

export type Imported = { threadId: string; nodes: number; newNodes: number };

/**
 * Sends a pack to a node, which takes in its thread. `fetch` does not tell how much of a body has gone out, so this is an
 * XMLHttpRequest. Rejects with a `Problem`, or the signal's reason.
 */
export function importPack(
  node: string,
  pack: Blob,
  onProgress: (progress: ImportProgress) => void,
  signal: AbortSignal,
): Promise<Imported> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    const cut = () =>
      reject(
        new Problem(
          'unreachable',
          'The connection broke before the node had all of the pack; nothing was taken in. Send it again.',
        ),
      );
    request.open('POST', `/api/nodes/${encodeURIComponent(node)}/packs`);
    request.setRequestHeader('content-type', PACK_MEDIA_TYPE);
    request.upload.onprogress = ({ loaded, total }) =>
      onProgress({ phase: 'sending', done: loaded, total });
    request.onprogress = () => {
      const last = readLines(request.responseText).lines.findLast(
        ({ type }) => type === 'progress',
      );
      if (last?.type === 'progress') onProgress({ phase: 'storing', done: last.done });
    };
    request.onerror = cut;
    request.onabort = () => reject(signal.reason);
    request.onload = () => {
      try {
        resolve(importedOf(request.status, request.responseText));
      } catch (error) {
        reject(error);
      }
    };
    signal.addEventListener('abort', () => request.abort(), { once: true });
    if (signal.aborted) reject(signal.reason);
    else request.send(pack);
  });
}

/** What an import came to. Throws the `Problem` that it was. */
export function importedOf(status: number, text: string): Imported {
  const { lines, rest } = readLines(text);
  if (status !== 200) throw problemOf(lines[0] ?? rest, status);
  const last = lines.at(-1);
  if (last?.type === 'result') {
    const { threadId, nodes, newNodes } = last;
    return { threadId, nodes, newNodes };
  }
  if (last?.type === 'problem') throw problemOf(last.problem, status);
  throw new Problem('unreachable', 'The answer broke off: look whether the thread is there now.');
}

function problemOf(given: unknown, status: number): Problem {
  const { code, detail } = (given ?? {}) as { code?: unknown; detail?: unknown };
  if (typeof code !== 'string' || typeof detail !== 'string')
    return new Problem('internal', `The pack was refused with status ${status}, without a reason.`);
  // The table of codes is the server's; one that is not known here tells by its text all the same.
  return new Problem(code as Problem['code'], detail);
}

/** Whole lines so far; what is no JSON (a proxy's page) is not looked at. */
function readLines(text: string): { lines: ImportLine[]; rest: unknown } {
  const parts = text.split('\n').filter((line) => line.trim() !== '');
  const lines: ImportLine[] = [];
  for (const part of parts) {
    const value = parse(part);
    if (value !== undefined) lines.push(value as ImportLine);
  }
  return { lines, rest: parse(text) };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    // A line that is still on its way.
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
