import { useStore, ViewportPortal } from '@xyflow/react';
import { useMemo } from 'react';
import { classNames } from '../../ui/index.js';
import { arrowPath, boundsOf, edgePath } from './edge-path.js';
import { edgeWords, takingOf } from './edge-words.js';
import type { Box } from './geometry.js';
import type { TakenEdge } from './graph-props.js';
import {
  EDGE_REACH,
  EDGE_WIDTH,
  TAKEN_WIDTH,
  VIEW_STEP,
  ZOOM_FAR,
  ZOOM_LABELS,
} from './graph-sizes.js';
import { isCut, linesWhenTaken } from './label-lines.js';
import type { GraphLayout, PlacedEdge } from './layout.js';

type EdgeLayerProps = {
  layout: GraphLayout;
  taken: readonly TakenEdge[] | undefined;
  /** The edge whose full text is shown. */
  shown: PlacedEdge | null;
  onShow: (edge: PlacedEdge | null) => void;
  /** A label is focused by keyboard, maybe out of view. */
  onFocus: (label: Box) => void;
};

/** Lines, arrows and labels of all edges in view, those that control took above the others. */
export function EdgeLayer({ layout, taken, shown, onShow, onFocus }: EdgeLayerProps) {
  const drawn = useMemo(() => layout.edges.map(draw), [layout]);
  const hasLabels = useStore(({ transform }) => transform[2] >= ZOOM_LABELS);
  const thickness = useStore(({ transform }) => Math.max(1, ZOOM_FAR / transform[2]));
  const view = useStore(viewOf, (a, b) => a.join() === b.join());
  const inView = drawn.filter(({ bounds }) => isIn(bounds, view));
  const lookOf = (edge: PlacedEdge): Look =>
    takingOf({ ...edge, condition: null }, taken) ?? (edge === shown ? 'shown' : 'plain');
  const inOrder = inView
    .map((one) => ({ ...one, look: lookOf(one.edge) }))
    .sort((a, b) => LOOKS.indexOf(a.look) - LOOKS.indexOf(b.look));
  return (
    <ViewportPortal>
      <svg
        className="pointer-events-none absolute top-0 left-0 overflow-visible"
        width={1}
        height={1}
        aria-hidden
      >
        {inOrder.map((one) => (
          <g
            key={one.key}
            className={STROKES[one.look]}
            onPointerEnter={() => onShow(one.edge)}
            onPointerLeave={() => onShow(null)}
          >
            <path
              d={one.path}
              fill="none"
              stroke="transparent"
              strokeWidth={EDGE_REACH}
              pointerEvents="stroke"
            />
            <path
              d={one.path}
              fill="none"
              strokeWidth={thickness * (one.look === 'plain' ? EDGE_WIDTH : TAKEN_WIDTH)}
            />
            <path d={one.arrow} stroke="none" />
          </g>
        ))}
      </svg>
      {hasLabels &&
        inView.map(
          ({ key, edge }) =>
            edge.label !== null && (
              <EdgeLabel
                key={key}
                edge={edge}
                label={edge.label}
                taken={taken}
                onShow={onShow}
                onFocus={onFocus}
              />
            ),
        )}
    </ViewportPortal>
  );
}

/** What lies above what. */
const LOOKS = ['plain', 'shown', 'before', 'last'] as const;
type Look = (typeof LOOKS)[number];
const STROKES: Record<Look, string> = {
  plain: 'fill-calm stroke-calm',
  shown: 'fill-text stroke-text',
  before: 'fill-good stroke-good',
  last: 'fill-accent stroke-accent',
};

type DrawnEdge = { key: string; edge: PlacedEdge; path: string; arrow: string; bounds: Box };

function draw(edge: PlacedEdge, index: number): DrawnEdge {
  return {
    key: `${index}`,
    edge,
    path: edgePath(edge.points),
    arrow: arrowPath(edge.points),
    bounds: boundsOf(edge.points, edge.label),
  };
}

const BORDERS = { last: 'border-accent', before: 'border-good', not: 'border-line' };
const TEXTS = { last: 'font-medium text-accent', before: 'font-medium text-good', not: '' };

/** Its conditions; those under which control went this way stand out. */
function EdgeLabel({
  edge,
  label,
  taken,
  onShow,
  onFocus,
}: { edge: PlacedEdge; label: Box } & Pick<EdgeLayerProps, 'taken' | 'onShow' | 'onFocus'>) {
  const { x, y, width, height } = label;
  const takings = new Map(
    edge.conditions.map(({ condition }) => [condition, takingOf({ ...edge, condition }, taken)]),
  );
  const all = [...takings];
  const most =
    all.find(([, taking]) => taking === 'last') ?? all.find(([, taking]) => taking !== null);
  const look = classNames(
    'pointer-events-auto absolute top-0 left-0 block rounded border bg-panel px-1 text-center text-[11px] leading-[15px] text-muted',
    BORDERS[most?.[1] ?? 'not'],
  );
  const at = {
    className: look,
    style: { transform: `translate(${x}px, ${y}px)`, width, minHeight: height },
    onPointerEnter: () => onShow(edge),
    onPointerLeave: () => onShow(null),
  };
  const shown = most === undefined ? edge.lines : linesWhenTaken(edge, most[0]);
  const lines = shown.map(({ text, condition }) => (
    <span
      key={text}
      className={classNames('block truncate', TEXTS[takings.get(condition ?? '') ?? 'not'])}
    >
      {text}
    </span>
  ));
  if (!isCut(edge, edge.lines)) return <div {...at}>{lines}</div>;
  return (
    <button
      type="button"
      {...at}
      aria-label={edgeWords(edge)}
      onFocus={(event) => {
        onShow(edge);
        if (event.currentTarget.matches(':focus-visible')) onFocus(label);
      }}
      onBlur={() => onShow(null)}
      onClick={() => onShow(edge)}
    >
      {lines}
    </button>
  );
}

type View = readonly [left: number, top: number, right: number, bottom: number];

/** What of the drawing is in view, in steps: moving within one draws nothing anew. */
function viewOf({
  transform: [x, y, zoom],
  width,
  height,
}: {
  transform: [number, number, number];
  width: number;
  height: number;
}): View {
  const step = VIEW_STEP / zoom;
  return [
    (Math.floor(-x / VIEW_STEP) - 1) * step,
    (Math.floor(-y / VIEW_STEP) - 1) * step,
    (Math.ceil((width - x) / VIEW_STEP) + 1) * step,
    (Math.ceil((height - y) / VIEW_STEP) + 1) * step,
  ];
}

function isIn(box: Box, [left, top, right, bottom]: View): boolean {
  return box.x < right && box.x + box.width > left && box.y < bottom && box.y + box.height > top;
}
