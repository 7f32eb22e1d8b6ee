import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, useRef, useState } from 'react';
import { formatDuration, useOffsetTop } from '../../ui/index.js';
import { TimelineRow } from './timeline-row.js';
import type { WaterfallRow } from './waterfall.js';

const ROW_PX = 32;
const OVERSCAN_ROWS = 12;

type TimelineListProps = {
  node: string;
  rows: WaterfallRow[];
  selected: number | null;
  onSelect: (seq: number) => void;
  onOpen: (seq: number) => void;
};

/** The rows of the waterfall: one place for Tab, arrows move within. */
export function TimelineList({ node, rows, selected, onSelect, onOpen }: TimelineListProps) {
  const frame = useRef<HTMLDivElement>(null);
  const top = useOffsetTop(frame);
  const chosen = rows.findIndex(({ bar }) => bar.step.seq === selected);
  const [active, setActive] = useState(Math.max(0, chosen));
  const list = useWindowVirtualizer({
    count: rows.length,
    estimateSize: () => ROW_PX,
    overscan: OVERSCAN_ROWS,
    scrollMargin: top,
  });
  /** Whether the row is drawn, so that it can have the focus. */
  const focusRow = (index: number): boolean => {
    const row = frame.current?.querySelector<HTMLButtonElement>(`[data-row="${index}"]`);
    row?.focus({ preventScroll: true });
    return row !== null && row !== undefined;
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const to = targetOf(event.key, active, rows.length);
    if (to === null) return;
    event.preventDefault();
    setActive(to);
    list.scrollToIndex(to);
    // At once where it is drawn: the next key must not come to the row before. Otherwise with the frame after the scroll.
    if (!focusRow(to)) requestAnimationFrame(() => focusRow(to));
  };
  return (
    <div ref={frame}>
      <ol className="relative" style={{ height: list.getTotalSize() }}>
        {list.getVirtualItems().map(({ key, index, start }) => {
          const row = rows[index];
          return (
            row && (
              <li
                key={key}
                ref={list.measureElement}
                data-index={index}
                className="absolute inset-x-0 top-0 border-b"
                style={{ transform: `translateY(${start - top}px)` }}
                onFocus={() => setActive(index)}
                onKeyDown={onKeyDown}
              >
                {row.gapBefore !== null && (
                  <p className="bg-sunken px-3 py-0.5 text-center text-xs text-muted">
                    nothing ran for {formatDuration(row.gapBefore.idleMs)}
                  </p>
                )}
                <TimelineRow
                  node={node}
                  bar={row.bar}
                  index={index}
                  isSelected={row.bar.step.seq === selected}
                  takesTab={index === active}
                  onSelect={onSelect}
                  onOpen={onOpen}
                />
              </li>
            )
          );
        })}
      </ol>
    </div>
  );
}

function targetOf(key: string, index: number, count: number): number | null {
  if (key === 'ArrowDown') return Math.min(count - 1, index + 1);
  if (key === 'ArrowUp') return Math.max(0, index - 1);
  if (key === 'Home') return 0;
  return key === 'End' ? count - 1 : null;
}
