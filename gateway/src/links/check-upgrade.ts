import type { IncomingMessage } from 'node:http';
import type { RequestOrigin } from '@uncaged/protocol/http';
import { LINK_SUBPROTOCOL } from '@uncaged/protocol/link';
import { Problem } from '@uncaged/protocol/problem';
import type { Identity } from '../auth/index.js';

/**
 * Throws what forbids this upgrade before anybody is asked who it is: `route-not-found` (only GET /connect), `forbidden` (Host,
 * Origin), `invalid-argument` (no WebSocket, another subprotocol).
 */
export function checkUpgrade(
  { method, url, headers, socket }: IncomingMessage,
  checkHost: (request: RequestOrigin) => void,
): void {
  checkHost({
    host: headers.host,
    origin: headers.origin,
    localAddress: socket.localAddress,
  });
  if (method !== 'GET' || url?.split('?', 1)[0] !== '/connect')
    throw new Problem(
      'route-not-found',
      'Only GET /connect can be upgraded: it is where nodes connect.',
    );
  if (headers.upgrade?.toLowerCase() !== 'websocket')
    throw new Problem(
      'invalid-argument',
      '/connect takes WebSockets only: send `Upgrade: websocket`.',
    );
  const offered = headers['sec-websocket-protocol']?.split(',').map((name) => name.trim()) ?? [];
  if (!offered.includes(LINK_SUBPROTOCOL))
    throw new Problem(
      'invalid-argument',
      `A node offers \`Sec-WebSocket-Protocol: ${LINK_SUBPROTOCOL}\`; this request does not. Update the older of node and gateway.`,
    );
}

/** Throws `forbidden` when this identity may not connect a node. */
export function checkMayConnect({ role, tokenId, by }: Identity): void {
  // A cookie comes along with whatever a browser sends.
  if (by !== 'bearer')
    throw new Problem('forbidden', 'A node shows its token as `Authorization: Bearer`.');
  if (role !== 'node' && tokenId !== null)
    throw new Problem(
      'forbidden',
      `The token is one of the role ${role}; a node connects with a token of the role node (uwf-gateway token --role node).`,
    );
}
