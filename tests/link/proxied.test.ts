import { describeMux } from './mux-contract.js';
import { openProxiedPair } from './ws-pair.js';

describeMux('a WebSocket through a proxy', openProxiedPair);
