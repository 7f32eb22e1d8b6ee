import { useEffect, useRef } from 'react';
import { classNames, formatCount } from '../../ui/index.js';
import { placeOf, useLive } from '../live/index.js';

/** A box counts as scrolled to its end within so many px: rounding, and a half-read line. */
const AT_END_PX = 8;

type LiveStepProps = {
  node: string;
  thread: string;
  seq: number;
  follow: boolean;
  onFollow: (follow: boolean) => void;
};

/** What the step in flight says, as it says it. The box scrolls, the page does not move. */
export function LiveStep({ node, thread, seq, follow, onFollow }: LiveStepProps) {
  const live = useLive(({ texts }) => texts[placeOf(node, thread)]);
  const text = live?.step === seq ? live : undefined;
  const box = useRef<HTMLElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each new piece scrolls
  useEffect(() => {
    if (follow && box.current) box.current.scrollTop = box.current.scrollHeight;
  }, [text, follow]);
  if (text === undefined)
    return <p className="text-sm text-muted">At work; it has said nothing yet.</p>;
  const onScroll = () => {
    if (box.current === null) return;
    const { scrollTop, scrollHeight, clientHeight } = box.current;
    const isAtEnd = scrollHeight - scrollTop - clientHeight <= AT_END_PX;
    if (isAtEnd !== follow) onFollow(isAtEnd);
  };
  return (
    <section
      ref={box}
      onScroll={onScroll}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable
      tabIndex={0}
      aria-label="What the step in flight says"
      className="max-h-96 min-h-16 overflow-auto rounded border bg-sunken px-3 py-2"
    >
      {text.dropped > 0 && (
        <p className="text-xs text-muted">
          {formatCount(text.dropped)} characters before this are shown when the step is done.
        </p>
      )}
      <pre className="text-xs leading-5 wrap-anywhere whitespace-pre-wrap">
        {text.pieces.map((piece, index) => (
          <span
            // Pieces are only added, and dropped at the beginning.
            // biome-ignore lint/suspicious/noArrayIndexKey: a piece has nothing but its place
            key={index}
            className={classNames(piece.kind === 'stderr' && 'text-warn')}
          >
            {piece.text}
          </span>
        ))}
      </pre>
    </section>
  );
}
