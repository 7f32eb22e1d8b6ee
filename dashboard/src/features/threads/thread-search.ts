import type { ThreadFilters, ThreadStatus } from '../../api/index.js';

/** Every status, in the order of the chips. */
export const THREAD_STATUSES = [
  'running',
  'waiting',
  'queued',
  'paused',
  'interrupted',
  'failed',
  'completed',
  'cancelled',
] as const satisfies readonly ThreadStatus[];

/** Filters as they stand in an address: `?status=running,failed&node=build-1`. What is not narrowed is not there. */
export type ThreadSearch = {
  status?: string;
  workflow?: string;
  node?: string;
  q?: string;
};

export const NO_FILTERS: ThreadFilters = { status: [], workflow: '', node: '', q: '' };

const WORKFLOW = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/;
const NODE = /^[a-z0-9][a-z0-9-]{0,62}$/;
const Q_MAX_CHARACTERS = 200;

/** An address's filters; what does not have the right form is left out: an address is typed by people. */
export function filtersOf(search: Record<string, unknown>): ThreadFilters {
  const given = textOf(search.status).split(',');
  const workflow = textOf(search.workflow);
  const node = textOf(search.node);
  return {
    status: THREAD_STATUSES.filter((status) => given.includes(status)),
    workflow: WORKFLOW.test(workflow) && workflow.length <= 63 ? workflow : '',
    node: NODE.test(node) ? node : '',
    q: textOf(search.q).trim().slice(0, Q_MAX_CHARACTERS),
  };
}

export function searchOf({ status, workflow, node, q }: ThreadFilters): ThreadSearch {
  return {
    ...(status.length === 0 ? {} : { status: status.join(',') }),
    ...(workflow === '' ? {} : { workflow }),
    ...(node === '' ? {} : { node }),
    ...(q === '' ? {} : { q }),
  };
}

/** The router reads `?q=123` as a number. */
function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  return typeof value === 'number' ? String(value) : '';
}

export function isNarrowed({ status, workflow, node, q }: ThreadFilters): boolean {
  return status.length > 0 || workflow !== '' || node !== '' || q !== '';
}
