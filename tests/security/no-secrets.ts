import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';

/** Collects what was said while a test went on, to see in the end that none of it holds a secret. */
export type Said = {
  add: (what: string, text: string) => void;
  /** Every file below, but those that are there for holding one. */
  addFiles: (directory: string, holders?: readonly string[]) => void;
  expectNone: (secrets: readonly string[]) => void;
};

export function createSaid(): Said {
  const said: { what: string; text: string }[] = [];
  return {
    add: (what, text) => void said.push({ what, text }),
    addFiles(directory, holders = []) {
      for (const file of filesBelow(directory))
        if (!holders.some((holder) => file.endsWith(holder)))
          said.push({ what: file, text: readFileSync(file, 'latin1') });
    },
    expectNone(secrets) {
      expect(secrets.length).toBeGreaterThan(0);
      const found = said.flatMap(({ what, text }) =>
        secrets
          // The signature alone would do for somebody who knows the rest.
          .flatMap((secret) => [secret, secret.slice(secret.lastIndexOf('.') + 1)])
          .filter((secret) => secret.length > 15 && text.includes(secret))
          .map((secret) => `${what}: …${context(text, secret)}…`),
      );
      expect(found).toEqual([]);
    },
  };
}

function context(text: string, secret: string): string {
  const at = text.indexOf(secret);
  return `${text.slice(Math.max(0, at - 80), at)}<secret>`;
}

export function filesBelow(directory: string): string[] {
  return readdirSync(directory, { recursive: true })
    .map((name) => join(directory, String(name)))
    .filter((file) => statSync(file).isFile());
}
