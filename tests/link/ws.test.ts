import { describeMux } from './mux-contract.js';
import { openWsPair } from './ws-pair.js';

describeMux('a WebSocket', openWsPair);
