import { useEffect, useState } from 'react';
import { TICK_MS } from '../limits.js';

/** ms since epoch, again each second while `ticking`. */
export function useNow(ticking = true): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    if (!ticking) return;
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), TICK_MS);
    return () => clearInterval(timer);
  }, [ticking]);
  return now;
}
