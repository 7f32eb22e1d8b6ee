import type { QueuePlace, ThreadRow, ThreadStatus } from '../../store/index.js';
import { type Column, formatDuration, formatTimeShort, type Output } from '../output/index.js';

/** Threads as a table for people, with how many ms each ran; with `pids` the one of the worker that has each, with `places` what queued ones wait for. */
export function threadTable(
  out: Output,
  rows: readonly ThreadRow[],
  {
    ranMs,
    pids,
    places = new Map(),
  }: {
    ranMs: (row: ThreadRow) => number;
    pids?: ReadonlyMap<string, number>;
    places?: ReadonlyMap<string, QueuePlace>;
  },
): void {
  const prompts = rows.some((row) => row.prompt200 !== '');
  const columns: Column[] = [
    { header: 'THREAD' },
    { header: 'WORKFLOW' },
    { header: 'STATUS', style: (text) => paint(out, text) },
    { header: 'ROLE' },
    { header: 'STEPS', align: 'right' },
    { header: 'CREATED' },
    { header: 'TOOK', align: 'right' },
    ...(pids === undefined ? [] : [{ header: 'PID', align: 'right' } as const]),
    ...(places.size === 0 ? [] : [{ header: 'WAITS FOR' }]),
    ...(prompts ? [{ header: 'PROMPT', flexible: true }] : []),
  ];
  out.table(
    columns,
    rows.map((row) => [
      row.id,
      row.workflow,
      markedStatus(row),
      row.role,
      row.steps,
      formatTimeShort(row.createdAt),
      formatDuration(ranMs(row)),
      ...(pids === undefined ? [] : [pids.get(row.id) ?? null]),
      ...(places.size === 0 ? [] : [placeText(places.get(row.id) ?? null)]),
      ...(prompts ? [row.prompt200 === '' ? null : row.prompt200] : []),
    ]),
  );
}

/** What a queued thread waits for, and how many do before it. */
export function placeText(place: QueuePlace | null): string | null {
  if (place === null) return null;
  const { position, waitsFor } = place;
  const what =
    waitsFor === 'worker'
      ? 'a worker to take it'
      : `a slot of ${waitsFor === 'node' ? 'the node' : 'its workflow'}`;
  return position === 1 ? `${what}, next` : `${what}, ${position - 1} before it`;
}

/** In a list: what tells a thread apart from those that people start and that run here. */
function markedStatus(row: ThreadRow): string {
  const marks = [
    ...(row.reason === null ? [] : [row.reason]),
    ...(row.parent === null ? [] : ['nested']),
    ...(row.imported ? ['copy'] : []),
  ];
  return marks.length === 0 ? row.status : `${row.status} (${marks.join(', ')})`;
}

export function statusText(row: ThreadRow): string {
  return row.reason === null ? row.status : `${row.status} (${row.reason})`;
}

/** Colour by the first word of a status cell. */
export function paint(out: Output, text: string): string {
  const { green, red, yellow, cyan } = out.colors;
  const byStatus: Record<ThreadStatus, (text: string) => string> = {
    queued: (plain) => plain,
    running: cyan,
    paused: yellow,
    waiting: yellow,
    interrupted: yellow,
    completed: green,
    failed: red,
    cancelled: yellow,
  };
  const style = byStatus[text.trim().split(' ')[0] as ThreadStatus];
  return style === undefined ? text : style(text);
}
