import { type Node, type NodeProps, useStore } from '@xyflow/react';
import { Play, Square } from 'lucide-react';
import { type KeyboardEvent, type ReactNode, useEffect, useRef } from 'react';
import { classNames } from '../../ui/index.js';
import { type GraphContextValue, useGraph } from './graph-context.js';
import { ZOOM_FAR } from './graph-sizes.js';
import { END, START, wordOf } from './sentinels.js';
import { StateMark, stateBlock, stateBox } from './state-mark.js';

/** `index`: its place from top to bottom; `count`: of all. */
export type RoleNodeData = { role: string; index: number; count: number };
export type RoleFlowNode = Node<RoleNodeData, 'role'>;

/** A role, the start or the end: a button where there is something to go to. */
export function RoleNode({ data }: NodeProps<RoleFlowNode>) {
  const graph = useGraph();
  const { role } = data;
  const lit = graph.lit?.[role];
  const isFar = useStore(({ transform }) => transform[2] < ZOOM_FAR);
  const isSelected = graph.selected === role;
  const isSentinel = role === START || role === END;
  const mark = isSelected && 'ring-2 ring-accent ring-offset-2 ring-offset-panel';
  if (isFar)
    return (
      <NodeButton
        data={data}
        title={wordOf(role)}
        refused={refusalOf(role, graph)}
        className={stateBlock(lit?.state ?? 'idle')}
      >
        <span className="sr-only">
          {wordOf(role)} {lit?.state}
        </span>
      </NodeButton>
    );
  if (isSentinel)
    return (
      <NodeButton
        data={data}
        refused={refusalOf(role, graph)}
        className={classNames(
          'items-center justify-center gap-1 rounded-full border px-2 text-xs font-medium',
          lit === undefined ? 'border-line-strong bg-sunken' : stateBox(lit.state),
          mark,
        )}
      >
        {role === START ? (
          <Play className="size-3 shrink-0 fill-current" aria-hidden />
        ) : (
          <Square className="size-3 shrink-0 fill-current" aria-hidden />
        )}
        {role === START ? 'start' : 'end'}
      </NodeButton>
    );
  const state = lit?.state ?? 'idle';
  return (
    <NodeButton
      data={data}
      title={graph.lit === undefined ? describe(role, graph) : role}
      refused={refusalOf(role, graph)}
      className={classNames(
        'flex-col justify-center gap-0.5 rounded-md border px-3 text-left text-sm',
        stateBox(state),
        state === 'running' && 'border-2',
        mark,
      )}
    >
      {state === 'running' && (
        <span
          className="absolute -inset-1 rounded-lg border-2 border-accent motion-safe:animate-pulse motion-reduce:hidden"
          aria-hidden
        />
      )}
      <span className="truncate font-semibold">{role}</span>
      <RoleLine role={role} graph={graph} />
    </NodeButton>
  );
}

/** A name with what it is for; either may be cut in the box. */
function describe(role: string, { roles }: GraphContextValue): string {
  const { description } = roles[role] ?? {};
  return description ? `${role}: ${description}` : role;
}

/** Below the name: how it stands and how often it was visited; without a thread what it is for. */
function RoleLine({ role, graph }: { role: string; graph: GraphContextValue }) {
  if (graph.lit === undefined) {
    const { description } = graph.roles[role] ?? {};
    return description ? <span className="truncate text-xs text-muted">{description}</span> : null;
  }
  const { state, visits } = graph.lit[role] ?? { state: 'idle' as const, visits: 0 };
  return (
    <span className="flex items-center justify-between gap-2 text-xs">
      <StateMark state={state} />
      {visits > 0 && (
        <span className="text-muted" title={`visited ${visits === 1 ? 'once' : `${visits} times`}`}>
          <span className="sr-only">visits </span>
          <span aria-hidden>×</span>
          {visits}
        </span>
      )}
    </span>
  );
}

/** Why a role cannot be chosen; empty: nothing is chosen here at all. */
function refusalOf(role: string, { lit, onSelect }: GraphContextValue): string | null {
  const isSentinel = role === START || role === END;
  if (onSelect === undefined || (isSentinel && lit?.[role] === undefined)) return '';
  return lit !== undefined && lit[role] === undefined ? 'It has not run yet.' : null;
}

function NodeButton({
  data: { role, index, count },
  title,
  refused,
  className,
  children,
}: {
  data: RoleNodeData;
  title?: string;
  refused: string | null;
  className: string;
  children: ReactNode;
}) {
  const { onSelect, onFocus, moveFocus, takesFocus, selected } = useGraph();
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (takesFocus(index)) button.current?.focus({ preventScroll: true });
  });
  const onKeyDown = (event: KeyboardEvent) => {
    const to = targetOf(event.key, index, count);
    if (to === null) return;
    event.preventDefault();
    moveFocus(to);
  };
  return (
    <button
      ref={button}
      type="button"
      data-node={index}
      title={[title, refused].filter(Boolean).join(': ') || undefined}
      aria-disabled={refused !== null || undefined}
      aria-current={selected === role || undefined}
      onClick={() => refused === null && onSelect?.(role)}
      onFocus={() => onFocus(index)}
      onKeyDown={onKeyDown}
      className={classNames(
        'pointer-events-auto relative flex size-full min-w-0 text-text aria-disabled:cursor-default',
        refused === null && 'hover:brightness-95 dark:hover:brightness-110',
        className,
      )}
    >
      {children}
    </button>
  );
}

/** Where a key leads from a node: to the next or the one before, to the first or the last. */
function targetOf(key: string, index: number, count: number): number | null {
  if (key === 'ArrowDown' || key === 'ArrowRight') return Math.min(count - 1, index + 1);
  if (key === 'ArrowUp' || key === 'ArrowLeft') return Math.max(0, index - 1);
  if (key === 'Home') return 0;
  return key === 'End' ? count - 1 : null;
}
