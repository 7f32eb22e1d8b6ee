import { useWindowVirtualizer } from '@tanstack/react-virtual';
import type { StepJson, ThreadDetail } from '@uncaged/protocol/api';
import { type RefObject, useEffect, useRef, useState } from 'react';
import { useOffsetTop } from '../../ui/index.js';
import { holdInView, holdWhileGrowing } from './hold-in-view.js';
import { LiveStep } from './live-step.js';
import { StepCard } from './step-card.js';

const CLOSED_CARD_PX = 42;
const OPEN_CARD_PX = 240;
const GAP_PX = 8;
const OVERSCAN_CARDS = 6;
/** Between the upper edge of the window and a card that was jumped to: it is seen that it begins there. */
const ABOVE_TARGET_PX = 12;
/** Up to so many steps all are open: a person sees what happened without a click. */
const OPEN_UP_TO = 12;

/** A step that shall come into view, shown by a flash; `count` makes it another jump when it is the same step again. */
export type Jump = { seq: number; count: number };

type StepListProps = {
  node: string;
  thread: ThreadDetail;
  steps: StepJson[];
  follow: boolean;
  onFollow: (follow: boolean) => void;
  /** `seq` of the step that an address points at. */
  selected: number | null;
  jump: Jump | null;
  onSelect: (seq: number) => void;
  onFork: (keep: number) => void;
};

/** Every attempt of every step, in order; only what is near the screen is drawn. */
export function StepList(props: StepListProps) {
  const { node, thread, steps, follow, onFollow, selected, jump, onSelect, onFork } = props;
  const frame = useRef<HTMLDivElement>(null);
  const top = useOffsetTop(frame);
  /** What a person opened or closed; of the others each decides by itself. */
  const [chosen, setChosen] = useState<ReadonlyMap<string, boolean>>(new Map());
  const isOpen = (step: StepJson, index: number): boolean => {
    const byItself =
      steps.length <= OPEN_UP_TO || index === steps.length - 1 || step.seq === selected;
    return chosen.get(keyOf(step)) ?? byItself;
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
    scrollPaddingStart: ABOVE_TARGET_PX,
    getItemKey: (index) => keyOf(steps[index]!),
  });
  useFollowedEnd(frame, steps.length, follow);
  const atFirst = useRef(selected);
  const wanted = jump?.seq ?? atFirst.current;
  const target = wanted === null ? -1 : steps.findIndex(({ seq }) => seq === wanted);
  // biome-ignore lint/correctness/useExhaustiveDependencies: goes there when it is asked to and the step is there, not when it is selected
  useEffect(() => {
    if (target < 0) return;
    return holdInView(() => list.scrollToIndex(target, { align: 'start' }));
  }, [target >= 0, jump]);

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
                  flash={jump?.seq === step.seq ? jump.count : 0}
                  brokeHere={index === steps.length - 1 ? endOf(thread, step) : null}
                  onFork={step.status === 'running' ? null : () => onFork(step.seq - 1)}
                  onToggle={() => {
                    setChosen(new Map(chosen).set(keyOf(step), !isOpen(step, index)));
                    onSelect(step.seq);
                  }}
                  live={
                    <LiveStep
                      node={node}
                      thread={thread.threadId}
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

/** Why a thread failed although its last step was carried out: nothing leads on from what came out of it. */
function endOf({ status, problem }: ThreadDetail, step: StepJson): ThreadDetail['problem'] {
  return status === 'failed' && step.status === 'committed' ? problem : null;
}

function keyOf({ seq, attempt }: StepJson): string {
  return `${seq}.${attempt}`;
}

/** A step that is new while somebody follows comes into view, and so does all it says; without following nothing moves. */
function useFollowedEnd(list: RefObject<HTMLElement | null>, count: number, follow: boolean): void {
  const before = useRef(count);
  useEffect(() => {
    const isNew = count > before.current;
    before.current = count;
    const view = list.current?.closest('main');
    if (!follow || !isNew || !view) return;
    return holdWhileGrowing(view, () => scrollTo({ top: document.documentElement.scrollHeight }));
  }, [list, count, follow]);
}
