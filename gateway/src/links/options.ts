import type { IncomingMessage } from 'node:http';
import type { RequestOrigin } from '@uncaged/protocol/http';
import type { LinkClock } from '@uncaged/protocol/link';
import type { Audit } from '../audit/index.js';
import type { Address, Auth } from '../auth/index.js';
import type { Directory } from '../directory/index.js';
import type { GatewayLimits } from '../limits.js';
import type { Log } from '../log.js';

export type LinksOptions = {
  readonly auth: Pick<Auth, 'identify' | 'isValid' | 'onRevoked'>;
  readonly directory: Pick<Directory, 'setState'>;
  /** Throws `forbidden` for a request that a page of another site made a browser send. */
  readonly checkHost: (request: RequestOrigin) => void;
  readonly limits: Pick<GatewayLimits, 'link' | 'probeMs' | 'handshakesMax' | 'drainMs'>;
  /** The gateway's name, told in WELCOME. */
  readonly gateway: string;
  readonly clock: LinkClock;
  /** ms since epoch. */
  readonly now: () => number;
  readonly log: Log;
  readonly audit: Pick<Audit, 'record'>;
  /** Protocols of links it speaks; those of this build unless a test says otherwise. */
  readonly protocols?: readonly number[];
  /** Whom a request comes from; the other end of its socket unless a proxy is trusted. */
  readonly addressOf?: (request: IncomingMessage) => Address;
  /** From 0 to below 1, for jitter. */
  readonly random?: () => number;
};
