/** A bell that is not lost when it rings before anybody listens. */
export type Wake = { ring: () => void; next: () => Promise<void> };

export function createWake(): Wake {
  let rung = false;
  let listener: (() => void) | null = null;
  return {
    ring: () => {
      rung = true;
      listener?.();
    },
    next: async () => {
      if (!rung)
        await new Promise<void>((resolve) => {
          listener = resolve;
        });
      rung = false;
      listener = null;
    },
  };
}
