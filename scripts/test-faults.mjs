// `npm run test:faults [-- arguments of vitest]`: the survival tests with their full counts; `npm test` runs them with few.
process.env.UWF_TEST_FAULTS = 'full';
process.argv.splice(2, 0, 'tests/faults');
await import('./test.mjs');
