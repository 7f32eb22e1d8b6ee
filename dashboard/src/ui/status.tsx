import {
  Ban,
  CircleCheck,
  CircleDashed,
  CirclePause,
  CircleX,
  Hourglass,
  LoaderCircle,
  type LucideIcon,
  TriangleAlert,
  Unplug,
} from 'lucide-react';
import { classNames } from './class-names.js';

type Tone = 'accent' | 'good' | 'bad' | 'warn' | 'calm';

type Look = { Icon: LucideIcon; tone: Tone; word: string; moves?: boolean };

const TONES: Record<Tone, string> = {
  accent: 'text-accent',
  good: 'text-good',
  bad: 'text-bad',
  warn: 'text-warn',
  calm: 'text-calm',
};

/** Of threads, of steps and of nodes: one word has one look. */
const LOOKS = {
  queued: { Icon: CircleDashed, tone: 'calm', word: 'queued' },
  running: { Icon: LoaderCircle, tone: 'accent', word: 'running', moves: true },
  paused: { Icon: CirclePause, tone: 'warn', word: 'paused' },
  waiting: { Icon: Hourglass, tone: 'warn', word: 'waiting' },
  interrupted: { Icon: TriangleAlert, tone: 'warn', word: 'interrupted' },
  completed: { Icon: CircleCheck, tone: 'good', word: 'completed' },
  committed: { Icon: CircleCheck, tone: 'good', word: 'done' },
  failed: { Icon: CircleX, tone: 'bad', word: 'failed' },
  cancelled: { Icon: Ban, tone: 'calm', word: 'cancelled' },
  online: { Icon: CircleCheck, tone: 'good', word: 'online' },
  offline: { Icon: Unplug, tone: 'calm', word: 'offline' },
  'update-needed': { Icon: TriangleAlert, tone: 'bad', word: 'update needed' },
} as const satisfies Record<string, Look>;

type StatusName = keyof typeof LOOKS;

/** Status by colour, icon and word. */
export function Status({
  status,
  detail,
  title,
  className,
}: {
  status: StatusName;
  /** Behind the word: why it is so. */
  detail?: string | null | undefined;
  /** More of the same, for who points at it. */
  title?: string | undefined;
  className?: string;
}) {
  const { Icon, tone, word, moves }: Look = LOOKS[status];
  return (
    <span
      title={title}
      className={classNames(
        'inline-flex items-center gap-1 text-sm font-medium whitespace-nowrap',
        TONES[tone],
        className,
      )}
    >
      <Icon
        className={classNames('size-3.5 shrink-0', moves && 'motion-safe:animate-spin')}
        aria-hidden
      />
      {word}
      {detail && <span className="font-normal">({detail})</span>}
    </span>
  );
}
