import { useWindowVirtualizer } from '@tanstack/react-virtual';
import type { PlacedThread } from '@uncaged/protocol/api';
import { ArrowUp } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { Button, useOffsetTop } from '../../ui/index.js';
import { holdNew } from './hold-new.js';
import { ThreadRow } from './thread-row.js';
import type { Threads } from './use-threads.js';

/** Rows drawn beyond the visible ones, so that fast scrolling shows no gap. */
const OVERSCAN_ROWS = 12;
/** A row before it is measured, px. */
const ROW_PX = 57;
/** Rows before the end at which the next page is asked for. */
const ASK_AHEAD_ROWS = 30;
/** Scrolled further than this, px, a person is reading: new rows wait above instead of pushing everything down. */
const READING_PX = 120;

/** Any number of threads; only what is visible is drawn. */
export function ThreadList({ rows, threads }: { rows: PlacedThread[]; threads: Threads }) {
  const frame = useRef<HTMLDivElement>(null);
  const top = useOffsetTop(frame);
  const [heldAbove, setHeldAbove] = useState<string | null>(null);
  const { shown, held } = holdNew(rows, heldAbove);
  const newest = rows[0]?.threadId ?? null;
  useEffect(() => {
    const onScroll = () =>
      setHeldAbove((before) => (scrollY > READING_PX ? (before ?? newest) : null));
    addEventListener('scroll', onScroll, { passive: true });
    return () => removeEventListener('scroll', onScroll);
  }, [newest]);

  const list = useWindowVirtualizer({
    count: shown.length,
    estimateSize: () => ROW_PX,
    overscan: OVERSCAN_ROWS,
    scrollMargin: top,
    getItemKey: (index) => `${shown[index]?.node}/${shown[index]?.threadId}`,
  });
  const items = list.getVirtualItems();
  const lastDrawn = items.at(-1)?.index ?? 0;
  const { loadMore } = threads;
  useEffect(() => {
    if (lastDrawn >= shown.length - ASK_AHEAD_ROWS) loadMore?.();
  }, [lastDrawn, shown.length, loadMore]);

  return (
    <div ref={frame}>
      {held > 0 && (
        <div className="sticky top-2 z-10 flex justify-center">
          <Button
            look="primary"
            icon={<ArrowUp className="size-4" aria-hidden />}
            onClick={() => {
              setHeldAbove(null);
              scrollTo({ top: 0 });
            }}
          >
            {held} new
          </Button>
        </div>
      )}
      <ul className="relative" style={{ height: list.getTotalSize() }}>
        {items.map(({ key, index, start }) => {
          const thread = shown[index];
          return (
            thread && (
              <li
                key={key}
                ref={list.measureElement}
                data-index={index}
                className="absolute inset-x-0 top-0 border-b"
                style={{ transform: `translateY(${start - top}px)` }}
              >
                <ThreadRow thread={thread} />
              </li>
            )
          );
        })}
      </ul>
      <p role="status" className="px-3 py-2 text-center text-xs text-muted">
        {threads.isLoadingMore
          ? 'Loading more threads…'
          : threads.loadMore === null
            ? `${rows.length.toLocaleString('en-US')} ${rows.length === 1 ? 'thread' : 'threads'}, all of them`
            : ''}
      </p>
    </div>
  );
}
