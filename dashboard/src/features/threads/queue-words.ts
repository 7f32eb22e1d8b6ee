import type { ThreadDetail } from '@uncaged/protocol/api';

/** Where a thread stands in the queue of its node. */
export type QueuePlace = NonNullable<ThreadDetail['queue']>;

/** What its node said of itself; null: it is not known. */
export type NodeLoad = {
  name: string;
  /** Threads that are queued there. */
  queued: number | null;
  /** Threads that run there at once. */
  atOnce: number | null;
};

/** Why a thread does not run yet and how many come before it: `3rd of 5 in line for a slot; build-1 runs 2 at once`. */
export function queueWords({ position, waitsFor }: QueuePlace, node: NodeLoad): string {
  const place = ordinal(position);
  switch (waitsFor) {
    case 'node': {
      // The two were asked for one after the other: a total that the place is beyond is older.
      const total =
        node.queued !== null && node.queued >= position
          ? ` of ${node.queued.toLocaleString('en-US')}`
          : '';
      const runs =
        node.atOnce === null
          ? `${node.name} runs as many as it may`
          : `${node.name} runs ${node.atOnce.toLocaleString('en-US')} at once`;
      return `${place}${total} in line for a slot; ${runs}`;
    }
    case 'workflow':
      return `${place} in line for a slot of its workflow, which runs as often as ${node.name} lets it`;
    case 'worker':
      return position === 1
        ? `a slot is free; next to be taken by a process of ${node.name}`
        : `a slot is free; ${place} to be taken by a process of ${node.name}`;
  }
}

const TEENS = 11;
const TEENS_END = 13;

/** `1st`, `2nd`, `3rd`, `11th`, `1,001st`. */
function ordinal(count: number): string {
  const lastTwo = count % 100;
  const isTeen = lastTwo >= TEENS && lastTwo <= TEENS_END;
  const ending = isTeen ? 'th' : (['th', 'st', 'nd', 'rd'][count % 10] ?? 'th');
  return `${count.toLocaleString('en-US')}${ending}`;
}
