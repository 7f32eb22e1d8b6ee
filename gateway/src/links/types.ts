import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { GatewayMux, Hello } from '@uncaged/protocol/link';
import type { Identity } from '../auth/index.js';

/** A node that is connected now. */
export type NodeLink = {
  name: string;
  /** Counts the admissions of this name; what comes late from an older one is not heard. */
  generation: number;
  hello: Hello;
  mux: GatewayMux;
  /** Whose token opened it. */
  identity: Identity;
  address: string;
};

/** `up`: admitted. `down`: the link that was current has ended; nobody has taken its place yet. */
export type LinkChange = { type: 'up'; link: NodeLink } | { type: 'down'; link: NodeLink };

export type Links = {
  get: (name: string) => NodeLink | null;
  /** By name. */
  list: () => readonly NodeLink[];
  /** Told after `get` and `list` say so too. Returns what stops it. */
  onChange: (listener: (change: LinkChange) => void) => () => void;
  /** Takes a request to /connect over; whatever comes of it, the socket is answered or closed. */
  upgrade: (request: IncomingMessage, socket: Duplex, head: Buffer) => void;
  /** GOAWAY to all, waits for open streams at most `limitMs`, then ends the links. */
  close: (limitMs: number) => Promise<void>;
};
