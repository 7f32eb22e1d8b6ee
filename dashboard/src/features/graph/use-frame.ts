import { type RefObject, useEffect, useState } from 'react';
import type { Size } from './home-view.js';

/** The size of an element, px; null while it has none: in something closed, before the first layout. */
export function useFrame(element: RefObject<HTMLElement | null>): Size | null {
  const [size, setSize] = useState<Size | null>(null);
  useEffect(() => {
    const frame = element.current;
    if (frame === null) return;
    const observer = new ResizeObserver(() => {
      const { clientWidth: width, clientHeight: height } = frame;
      // What was drawn stays drawn in something that is closed.
      if (width > 0 && height > 0)
        setSize((before) =>
          before?.width === width && before.height === height ? before : { width, height },
        );
    });
    observer.observe(frame);
    return () => observer.disconnect();
  }, [element]);
  return size;
}
