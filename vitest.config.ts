import { defineConfig } from 'vitest/config';

/** Tells what hangs, not what is slow: tests that start processes share two cores with each other, and with whatever else runs. */
const TEST_TIMEOUT_MS = 90_000;

// Packages are read from their sources; what starts real programs uses the built ones (`npm test` builds them first).
export default defineConfig({
  resolve: { conditions: ['source'] },
  ssr: { resolve: { conditions: ['source'] } },
  test: {
    include: ['{protocol,gateway,agent-node,dashboard}/src/**/*.test.ts', 'tests/**/*.test.ts'],
    exclude: ['**/node_modules/**', '**/dist/**'],
    pool: 'forks',
    // More at once than two cores serve makes real processes slow and their deadlines wrong.
    maxWorkers: 2,
    testTimeout: TEST_TIMEOUT_MS,
    hookTimeout: TEST_TIMEOUT_MS,
  },
});
