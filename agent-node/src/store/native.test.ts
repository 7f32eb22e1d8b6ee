import { describe, expect, it, vi } from 'vitest';
import { openStore } from './open-store.js';
import { temporaryRoot } from './test-store.js';

vi.mock('better-sqlite3', () => ({
  default: class {
    constructor() {
      throw new Error('Could not locate the bindings file. Tried: build/better_sqlite3.node');
    }
  },
}));

describe('a machine without the binary of better-sqlite3', () => {
  it('is told what to install and to run', async () => {
    const opening = openStore(temporaryRoot(), { clock: Date.now });
    await expect(opening).rejects.toMatchObject({
      code: 'native-binding',
      message: expect.stringMatching(/python3, make and g\+\+.*npm rebuild better-sqlite3/),
    });
  });
});
