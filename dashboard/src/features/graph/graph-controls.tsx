import { useReactFlow } from '@xyflow/react';
import { Hand, Maximize2, ZoomIn, ZoomOut } from 'lucide-react';
import type { ReactNode } from 'react';
import { classNames } from '../../ui/index.js';
import { ZOOM_STEP } from './graph-sizes.js';

/** Zoom and whole view by buttons; for fingers a switch between scrolling the page and moving the drawing. */
export function GraphControls({
  isTouch,
  isMoving,
  onMoving,
  onWhole,
  onZoomed,
}: {
  isTouch: boolean;
  isMoving: boolean;
  onMoving: (isMoving: boolean) => void;
  onWhole: () => void;
  onZoomed: () => void;
}) {
  const { zoomTo, getZoom } = useReactFlow();
  const zoom = (by: number) => {
    onZoomed();
    void zoomTo(getZoom() * by);
  };
  return (
    <div className="flex items-center gap-1">
      <span className="mr-auto text-xs text-muted">
        {isTouch ? 'The hand lets you move it.' : 'Drag to move, Ctrl or ⌘ + wheel to zoom.'}
      </span>
      {isTouch && (
        <ControlButton
          label="Move with the finger"
          isPressed={isMoving}
          onClick={() => onMoving(!isMoving)}
        >
          <Hand className="size-4" aria-hidden />
        </ControlButton>
      )}
      <ControlButton label="Zoom out" onClick={() => zoom(1 / ZOOM_STEP)}>
        <ZoomOut className="size-4" aria-hidden />
      </ControlButton>
      <ControlButton label="Zoom in" onClick={() => zoom(ZOOM_STEP)}>
        <ZoomIn className="size-4" aria-hidden />
      </ControlButton>
      <ControlButton label="Show the whole graph" onClick={onWhole}>
        <Maximize2 className="size-4" aria-hidden />
      </ControlButton>
    </div>
  );
}

function ControlButton({
  label,
  isPressed,
  onClick,
  children,
}: {
  label: string;
  isPressed?: boolean;
  onClick: () => void;
  children: ReactNode;
}) {
  return (
    <button
      type="button"
      aria-label={label}
      aria-pressed={isPressed}
      title={label}
      onClick={onClick}
      className={classNames(
        'inline-flex size-8 shrink-0 items-center justify-center rounded border border-transparent text-muted hover:bg-hover hover:text-text',
        isPressed && 'border-accent bg-accent-soft text-accent',
      )}
    >
      {children}
    </button>
  );
}
