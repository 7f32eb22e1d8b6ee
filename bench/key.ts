/** Of gateways that live for one figure. */
export const KEY = 'a-key-that-only-benchmarks-use';
