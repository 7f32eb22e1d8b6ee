import { ReactFlow, ReactFlowProvider, useKeyPress, useReactFlow } from '@xyflow/react';
import { type RefObject, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { EdgeLayer } from './edge-layer.js';
import { edgeWords } from './edge-words.js';
import type { Box } from './geometry.js';
import { GraphContext } from './graph-context.js';
import { GraphControls } from './graph-controls.js';
import type { GraphProps } from './graph-props.js';
import { ZOOM_MAX } from './graph-sizes.js';
import { around, homeView, isInView, type Size, wholeView } from './home-view.js';
import { type GraphLayout, layoutGraph, type PlacedEdge } from './layout.js';
import { type RoleFlowNode, RoleNode } from './role-node.js';
import { useFrame } from './use-frame.js';
import './graph.css';

const NODE_TYPES = { role: RoleNode };
const NO_EDGES: never[] = [];
/** While one is held a wheel zooms; without, it scrolls the page. */
const ZOOM_KEYS = ['Meta', 'Control'];
const FINGER = '(pointer: coarse)';

/** The workflow drawn, in a frame of a given height, px. */
export function FlowGraph({ height, ...props }: GraphProps & { height: number }) {
  const layout = useMemo(
    () => layoutGraph(Object.keys(props.roles), props.edges),
    [props.roles, props.edges],
  );
  return (
    <ReactFlowProvider>
      <Drawing {...props} height={height} layout={layout} />
    </ReactFlowProvider>
  );
}

type DrawingProps = GraphProps & { height: number; layout: GraphLayout };

function Drawing({ height, layout, ...props }: DrawingProps) {
  const { roles, lit, taken, selected, onSelect } = props;
  const element = useRef<HTMLDivElement>(null);
  const frame = useFrame(element);
  const [shown, setShown] = useState<PlacedEdge | null>(null);
  const [isTouch] = useState(() => matchMedia(FINGER).matches);
  const [isMoving, setIsMoving] = useState(false);
  const wheelZooms = useKeyPress(ZOOM_KEYS);
  const nodes = useMemo(() => toFlowNodes(layout), [layout]);
  const at = currentIndex(layout, props);
  const view = useView(layout, frame, at);
  const { onFocus, moveFocus, takesFocus } = useNodeFocus(layout, element, view);
  const context = useMemo(
    () => ({ roles, lit, selected, onSelect, onFocus, moveFocus, takesFocus }),
    [roles, lit, selected, onSelect, onFocus, moveFocus, takesFocus],
  );
  const smallest = frame === null ? 1 : wholeView(layout, frame).zoom;
  return (
    <GraphContext value={context}>
      <GraphControls
        isTouch={isTouch}
        isMoving={isMoving}
        onMoving={setIsMoving}
        onWhole={view.showWhole}
        onZoomed={view.takeOver}
      />
      {/* biome-ignore lint/a11y/noStaticElementInteractions: Escape puts away what a label inside shows */}
      <div
        ref={element}
        className="relative overflow-hidden"
        style={{ height }}
        onKeyDown={(event) => event.key === 'Escape' && setShown(null)}
      >
        {frame !== null && (
          <ReactFlow
            aria-label="Graph of the workflow. Tab or the arrow keys go from role to role."
            nodes={nodes}
            edges={NO_EDGES}
            nodeTypes={NODE_TYPES}
            defaultViewport={homeView(layout, frame, layout.nodes[at]!.box)}
            minZoom={Math.min(1, smallest)}
            maxZoom={ZOOM_MAX}
            onlyRenderVisibleElements
            nodesDraggable={false}
            nodesConnectable={false}
            nodesFocusable={false}
            elementsSelectable={false}
            disableKeyboardA11y
            deleteKeyCode={null}
            selectionKeyCode={null}
            multiSelectionKeyCode={null}
            panActivationKeyCode={null}
            zoomActivationKeyCode={ZOOM_KEYS}
            panOnDrag={!isTouch || isMoving}
            zoomOnPinch={!isTouch || isMoving}
            zoomOnScroll={false}
            zoomOnDoubleClick={false}
            preventScrolling={wheelZooms}
            onMoveStart={(event) => event !== null && view.takeOver()}
          >
            <EdgeLayer
              layout={layout}
              taken={taken}
              shown={shown}
              onShow={setShown}
              onFocus={view.reveal}
            />
          </ReactFlow>
        )}
        {shown !== null && (
          <p
            role="status"
            className="pointer-events-none absolute inset-x-0 bottom-0 z-10 max-h-full overflow-hidden rounded border border-line-strong bg-panel px-2 py-1 text-xs wrap-anywhere"
          >
            {edgeWords(shown)}
          </p>
        )}
      </div>
    </GraphContext>
  );
}

function toFlowNodes({ nodes }: GraphLayout): RoleFlowNode[] {
  return nodes.map(({ role, box }, index) => ({
    id: `${index}`,
    type: 'role',
    position: { x: box.x, y: box.y },
    width: box.width,
    height: box.height,
    data: { role, index, count: nodes.length },
  }));
}

/** The node the view begins at: what runs or waits, else what control came to last, else the start. */
function currentIndex({ nodes }: GraphLayout, { lit, taken }: GraphProps): number {
  const active = nodes.findIndex(({ role }) => {
    const state = lit?.[role]?.state;
    return state === 'running' || state === 'waiting';
  });
  const last = nodes.findIndex(({ role }) => role === taken?.at(-1)?.to);
  return Math.max(0, active === -1 ? last : active);
}

type ViewHandle = {
  showWhole: () => void;
  /** From now on the view is the person's, and does not follow by itself. */
  takeOver: () => void;
  /** Brings the first box to where it and the others can be seen, if they cannot. */
  reveal: (box: Box, beside?: readonly Box[]) => void;
};

/** Where the drawing is looked at: at home, following what runs, until a person moves it. */
function useView(layout: GraphLayout, frame: Size | null, at: number): ViewHandle {
  const { setViewport, getViewport } = useReactFlow();
  const isTaken = useRef(false);
  const takeOver = useCallback(() => {
    isTaken.current = true;
  }, []);
  useEffect(() => {
    if (frame === null || isTaken.current) return;
    void setViewport(homeView(layout, frame, layout.nodes[at]!.box));
  }, [layout, frame, at, setViewport]);
  return useMemo(
    () => ({
      takeOver,
      showWhole: () => {
        if (frame === null) return;
        takeOver();
        void setViewport(wholeView(layout, frame));
      },
      reveal: (box, beside = []) => {
        if (frame === null) return;
        const view = getViewport();
        if ([box, ...beside].every((one) => isInView(one, view, frame))) return;
        takeOver();
        void setViewport(around(layout, frame, box, view.zoom));
      },
    }),
    [layout, frame, takeOver, setViewport, getViewport],
  );
}

/** Focus that goes from node to node, also to those that are not drawn because they are out of view. */
function useNodeFocus(
  layout: GraphLayout,
  element: RefObject<HTMLElement | null>,
  { reveal }: ViewHandle,
) {
  const wanted = useRef<number | null>(null);
  const revealNode = useCallback(
    (index: number) => {
      const box = layout.nodes[index]?.box;
      if (box === undefined) return;
      // Only what is drawn can be tabbed to: the neighbours must be there before the next key.
      const beside = [layout.nodes[index - 1], layout.nodes[index + 1]];
      reveal(
        box,
        beside.flatMap((node) => node?.box ?? []),
      );
    },
    [layout, reveal],
  );
  const onFocus = useCallback(
    (index: number) => {
      // A click has focused what is in view already.
      if (element.current?.querySelector(`[data-node="${index}"]:focus-visible`)) revealNode(index);
    },
    [element, revealNode],
  );
  const moveFocus = useCallback(
    (index: number) => {
      if (index >= layout.nodes.length) return;
      revealNode(index);
      const node = element.current?.querySelector<HTMLElement>(`[data-node="${index}"]`);
      if (node) node.focus({ preventScroll: true });
      else wanted.current = index;
    },
    [layout, element, revealNode],
  );
  const takesFocus = useCallback((index: number) => {
    if (wanted.current !== index) return false;
    wanted.current = null;
    return true;
  }, []);
  return { onFocus, moveFocus, takesFocus };
}
