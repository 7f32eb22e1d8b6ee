import { lazy, Suspense, useMemo, useState } from 'react';
import { Loading, Notice } from '../../ui/index.js';
import { EdgeList } from './edge-list.js';
import { frameHeight } from './frame-height.js';
import type { GraphProps } from './graph-props.js';

type DrawnProps = GraphProps & { height: number };

/** Drawing needs two libraries; they come when the first graph is shown. */
const FlowGraph = lazy(() =>
  import('./flow-graph.js').then(
    (module) => ({ default: module.FlowGraph }),
    () => ({ default: NotDrawn }),
  ),
);

/** A workflow: roles, and where control goes, drawn and, opened, in words. */
export function WorkflowGraph(props: GraphProps) {
  const height = useMemo(
    () => frameHeight(Object.keys(props.roles), props.edges),
    [props.roles, props.edges],
  );
  if (props.edges.length === 0) return <EdgeList {...props} />;
  return (
    <div className="flex flex-col gap-2">
      <Suspense fallback={<Placeholder height={height} />}>
        <FlowGraph {...props} height={height} />
      </Suspense>
      <InWords {...props} />
    </div>
  );
}

/** As high as the drawing with its controls, so that nothing moves when it comes. */
function Placeholder({ height }: { height: number }) {
  return (
    <div className="pt-8" style={{ height: `calc(${height}px + 2rem)` }}>
      <Loading what="the graph" />
    </div>
  );
}

/** The part of the page that draws could not be loaded: words do. */
function NotDrawn({ height: _, ...props }: DrawnProps) {
  return (
    <>
      <Notice kind="warning">
        The drawing could not be loaded; reloading the page tries again. In words:
      </Notice>
      <EdgeList {...props} />
    </>
  );
}

/** The same without a drawing, for who reads or listens. */
function InWords(props: GraphProps) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <details onToggle={(event) => setIsOpen(event.currentTarget.open)} className="border-t pt-2">
      <summary className="text-sm text-muted">The graph in words</summary>
      <div className="max-h-96 overflow-y-auto pt-2">{isOpen && <EdgeList {...props} />}</div>
    </details>
  );
}
