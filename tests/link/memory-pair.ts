import { createMemoryPair, createSystemClock } from '@uncaged/protocol/link';
import type { TransportPair } from './open-pair.js';

export async function openMemoryPair(): Promise<TransportPair> {
  const { gateway, node, freeze, cut } = createMemoryPair(createSystemClock());
  return { gateway, node, freeze, cut, throttle: null, close: async () => undefined };
}
