import { defineConfig } from 'vitest/config';

/** A test that starts processes shares two cores with the others; on its own it takes a tenth of this. */
const TEST_TIMEOUT_MS = 30_000;

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
