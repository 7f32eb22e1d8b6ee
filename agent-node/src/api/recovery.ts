/** A look for dead owners that many may ask for at once: made at most every `everyMs`, by one. */
export function createRecovery(look: () => Promise<unknown>, everyMs: number): () => Promise<void> {
  let running: Promise<void> | null = null;
  let nextAt = 0;
  return () => {
    if (running !== null) return running;
    if (performance.now() < nextAt) return Promise.resolve();
    running = look()
      .then(() => undefined)
      .finally(() => {
        running = null;
        nextAt = performance.now() + everyMs;
      });
    return running;
  };
}
