import { CircleCheck, CircleDashed, CircleX, Hourglass, LoaderCircle } from 'lucide-react';
import { classNames } from '../../ui/index.js';
import type { RoleState } from './graph-props.js';

const LOOKS = {
  idle: {
    Icon: CircleDashed,
    tone: 'text-calm',
    box: 'border-line-strong bg-panel',
    far: 'bg-line-strong',
  },
  running: {
    Icon: LoaderCircle,
    tone: 'text-accent',
    box: 'border-accent bg-accent-soft',
    far: 'bg-accent-solid',
  },
  done: { Icon: CircleCheck, tone: 'text-good', box: 'border-good bg-good-soft', far: 'bg-good' },
  failed: { Icon: CircleX, tone: 'text-bad', box: 'border-bad bg-bad-soft', far: 'bg-bad' },
  waiting: { Icon: Hourglass, tone: 'text-warn', box: 'border-warn bg-warn-soft', far: 'bg-warn' },
} as const satisfies Record<RoleState, unknown>;

/** Border and ground of a role that stands so. */
export function stateBox(state: RoleState): string {
  return LOOKS[state].box;
}

/** A role too small for words. */
export function stateBlock(state: RoleState): string {
  return LOOKS[state].far;
}

/** How a role stands, by colour, icon and word. */
export function StateMark({ state }: { state: RoleState }) {
  const { Icon, tone } = LOOKS[state];
  return (
    <span className={classNames('inline-flex items-center gap-1 font-medium', tone)}>
      <Icon
        className={classNames('size-3 shrink-0', state === 'running' && 'motion-safe:animate-spin')}
        aria-hidden
      />
      {state}
    </span>
  );
}
