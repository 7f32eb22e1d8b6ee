import { useStore, ViewportPortal } from '@xyflow/react';
import { useMemo } from 'react';
import { classNames } from '../../ui/index.js';
import { arrowPath, boundsOf, edgePath } from './edge-path.js';
import { edgeWords, isTaken } from './edge-words.js';
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
import { isCut } from './label-lines.js';
import type { GraphLayout, PlacedEdge } from './layout.js';

type EdgeLayerProps = {
  layout: GraphLayout;
  lastEdge: TakenEdge | null | undefined;
  /** The edge whose full text is shown. */
  shown: PlacedEdge | null;
  onShow: (edge: PlacedEdge | null) => void;
  /** A label is focused by keyboard, maybe out of view. */
  onFocus: (label: Box) => void;
};

/** Lines, arrows and labels of all edges in view, the one taken last on top. */
export function EdgeLayer({ layout, lastEdge, shown, onShow, onFocus }: EdgeLayerProps) {
  const drawn = useMemo(() => layout.edges.map(draw), [layout]);
  const hasLabels = useStore(({ transform }) => transform[2] >= ZOOM_LABELS);
  const thickness = useStore(({ transform }) => Math.max(1, ZOOM_FAR / transform[2]));
  const view = useStore(viewOf, (a, b) => a.join() === b.join());
  const inView = drawn.filter(({ bounds }) => isIn(bounds, view));
  const rank = ({ edge }: DrawnEdge) =>
    isTaken({ ...edge, condition: null }, lastEdge) ? 2 : edge === shown ? 1 : 0;
  const inOrder = [...inView].sort((a, b) => rank(a) - rank(b));
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
            className={strokeOf(rank(one))}
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
              strokeWidth={thickness * (rank(one) > 0 ? TAKEN_WIDTH : EDGE_WIDTH)}
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
                lastEdge={lastEdge}
                onShow={onShow}
                onFocus={onFocus}
              />
            ),
        )}
    </ViewportPortal>
  );
}

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

function strokeOf(rank: number): string {
  if (rank === 2) return 'fill-accent stroke-accent';
  return rank === 1 ? 'fill-text stroke-text' : 'fill-calm stroke-calm';
}

function EdgeLabel({
  edge,
  label,
  lastEdge,
  onShow,
  onFocus,
}: { edge: PlacedEdge; label: Box } & Pick<EdgeLayerProps, 'lastEdge' | 'onShow' | 'onFocus'>) {
  const { x, y, width, height } = label;
  const taken = edge.conditions.filter(({ condition }) =>
    isTaken({ ...edge, condition }, lastEdge),
  );
  const look = classNames(
    'pointer-events-auto absolute top-0 left-0 block rounded border bg-panel px-1 text-center text-[11px] leading-[15px]',
    taken.length > 0 ? 'border-accent font-medium text-accent' : 'border-line text-muted',
  );
  const at = {
    className: look,
    style: { transform: `translate(${x}px, ${y}px)`, width, minHeight: height },
    onPointerEnter: () => onShow(edge),
    onPointerLeave: () => onShow(null),
  };
  const lines = edge.lines.map((line) => (
    <span key={line} className="block truncate">
      {line}
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
