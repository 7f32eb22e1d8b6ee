import type { Identity } from './types.js';

/**
 * Texts whose signature was found good, and whose they are: verifying one costs some 100 µs. Whether they are still good (time,
 * revocation) is looked up on every use. Only what this gateway signed gets in, so strangers cannot fill it.
 */
export type VerifiedCache = {
  get: (text: string) => Identity | null;
  set: (text: string, identity: Identity) => void;
};

/** At most `max`: whoever was away for longest is forgotten. */
export function createVerifiedCache(max: number): VerifiedCache {
  const identities = new Map<string, Identity>();
  return {
    get(text) {
      const identity = identities.get(text);
      if (identity === undefined) return null;
      // Only a full one needs to know who came last.
      if (identities.size >= max) {
        identities.delete(text);
        identities.set(text, identity);
      }
      return identity;
    },
    set(text, identity) {
      identities.delete(text);
      if (identities.size >= max) identities.delete(identities.keys().next().value!);
      identities.set(text, identity);
    },
  };
}
