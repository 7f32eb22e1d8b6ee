import { type RefObject, useLayoutEffect, useState } from 'react';

/** How far below the top of the document an element begins, px; followed when something above it grows. */
export function useOffsetTop(element: RefObject<HTMLElement | null>): number {
  const [top, setTop] = useState(0);
  useLayoutEffect(() => {
    const measure = () =>
      setTop(Math.round((element.current?.getBoundingClientRect().top ?? 0) + scrollY));
    measure();
    const observer = new ResizeObserver(measure);
    // Whatever is above it is in the view, which grows with it.
    const view = element.current?.closest('main');
    if (view) observer.observe(view);
    return () => observer.disconnect();
  }, [element]);
  return top;
}
