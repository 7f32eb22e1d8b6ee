import { openMemoryPair } from './memory-pair.js';
import { describeMux } from './mux-contract.js';

describeMux('a pair in memory', openMemoryPair);
