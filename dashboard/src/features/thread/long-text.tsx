import { useVirtualizer } from '@tanstack/react-virtual';
import { useMemo, useRef } from 'react';

const LINE_PX = 20;
const OVERSCAN_LINES = 40;

/** Hundreds of thousands of lines in a window of their own, which opens at the end; only those that are visible are drawn. */
export function LongText({ text }: { text: string }) {
  const lines = useMemo(() => text.split('\n'), [text]);
  const frame = useRef<HTMLDivElement>(null);
  const list = useVirtualizer({
    count: lines.length,
    getScrollElement: () => frame.current,
    estimateSize: () => LINE_PX,
    overscan: OVERSCAN_LINES,
    initialOffset: lines.length * LINE_PX,
  });
  return (
    <section
      ref={frame}
      // The keyboard scrolls it.
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable
      tabIndex={0}
      aria-label={`Text of ${lines.length.toLocaleString('en-US')} lines`}
      className="h-[60vh] overflow-auto rounded border bg-sunken"
    >
      <div className="relative min-w-max" style={{ height: list.getTotalSize() }}>
        {list.getVirtualItems().map(({ key, index, start }) => (
          <pre
            key={key}
            className="absolute left-0 h-5 px-3 text-xs leading-5 whitespace-pre"
            style={{ transform: `translateY(${start}px)` }}
          >
            {lines[index]}
          </pre>
        ))}
      </div>
    </section>
  );
}
