import { useWindowVirtualizer } from '@tanstack/react-virtual';
import type { StepJson } from '@uncaged/protocol/api';
import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import { LiveStep } from './live-step.js';
import { StepCard } from './step-card.js';

const CLOSED_CARD_PX = 42;
const OPEN_CARD_PX = 240;
const GAP_PX = 8;
const OVERSCAN_CARDS = 6;
/** Up to so many steps all are open: a person sees what happened without a click. */
const OPEN_UP_TO = 12;

type StepListProps = {
  node: string;
  thread: string;
  steps: StepJson[];
  follow: boolean;
  onFollow: (follow: boolean) => void;
  /** `seq` of the step that an address points at. */
  selected: number | null;
};

/** Every attempt of every step, in order; only what is near the screen is drawn. */
export function StepList({ node, thread, steps, follow, onFollow, selected }: StepListProps) {
  const frame = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  const [toggled, setToggled] = useState<ReadonlySet<string>>(new Set());
  useLayoutEffect(() => {
    setTop((frame.current?.getBoundingClientRect().top ?? 0) + scrollY);
  }, []);
  const isOpen = (step: StepJson, index: number): boolean => {
    const byItself =
      steps.length <= OPEN_UP_TO || index === steps.length - 1 || step.seq === selected;
    return byItself !== toggled.has(keyOf(step));
  };
  const list = useWindowVirtualizer({
    count: steps.length,
    estimateSize: (index) => {
      const step = steps[index];
      return step !== undefined && isOpen(step, index) ? OPEN_CARD_PX : CLOSED_CARD_PX;
    },
    gap: GAP_PX,
    overscan: OVERSCAN_CARDS,
    scrollMargin: top,
    getItemKey: (index) => keyOf(steps[index]!),
  });
  useFollowedEnd(steps.length, follow);
  const target = selected === null ? -1 : steps.findIndex(({ seq }) => seq === selected);
  // biome-ignore lint/correctness/useExhaustiveDependencies: goes there once, when the address says so and the step is there
  useEffect(() => {
    if (target >= 0) list.scrollToIndex(target, { align: 'start' });
  }, [target]);

  const toggle = (key: string) => {
    const next = new Set(toggled);
    if (!next.delete(key)) next.add(key);
    setToggled(next);
  };
  return (
    <div ref={frame}>
      <ol className="relative" style={{ height: list.getTotalSize() }}>
        {list.getVirtualItems().map(({ key, index, start }) => {
          const step = steps[index];
          return (
            step && (
              <li
                key={key}
                ref={list.measureElement}
                data-index={index}
                className="absolute inset-x-0 top-0"
                style={{ transform: `translateY(${start - top}px)` }}
              >
                <StepCard
                  node={node}
                  step={step}
                  isOpen={isOpen(step, index)}
                  isSelected={step.seq === selected}
                  onToggle={() => toggle(keyOf(step))}
                  live={
                    <LiveStep
                      node={node}
                      thread={thread}
                      seq={step.seq}
                      follow={follow}
                      onFollow={onFollow}
                    />
                  }
                />
              </li>
            )
          );
        })}
      </ol>
    </div>
  );
}

function keyOf({ seq, attempt }: StepJson): string {
  return `${seq}.${attempt}`;
}

/** A step that is new while somebody follows comes into view; without following nothing moves. */
function useFollowedEnd(count: number, follow: boolean): void {
  const before = useRef(count);
  useEffect(() => {
    if (follow && count > before.current) scrollTo({ top: document.documentElement.scrollHeight });
    before.current = count;
  }, [count, follow]);
}
