import type { IncomingMessage } from 'node:http';

/** Who a token, a cookie or the gateway's key stands for. A node may only connect. */
export type Identity = {
  role: 'viewer' | 'operator' | 'node';
  name: string;
  /** Of the token, for revoking it; null for the gateway's key, which is an operator and may connect any node. */
  tokenId: string | null;
  /** ms since epoch; null: it does not expire. */
  expiresAt: number | null;
  /** How it was shown. A cookie comes along with whatever a browser sends, the others do not. */
  by: 'bearer' | 'cookie';
};

/** Client of a request, as far as it can be trusted. */
export type Address = string;

export type Auth = {
  /**
   * Who asks: by `Authorization: Bearer`, else by cookie. At once for a token that was verified before. Throws unauthorized
   * (nothing shown, wrong, expired), token-revoked, rate-limited.
   */
  identify: (request: IncomingMessage, address: Address) => Identity | Promise<Identity>;
  /** For POST /api/session: the `set-cookie` for a token. Throws as `identify`; forbidden for the token of a node. */
  logIn: (token: string, address: Address) => Promise<{ identity: Identity; setCookie: string }>;
  /** `set-cookie` that forgets the cookie. */
  logOut: () => string;
  /** Whether a token that was good is still: not expired, not revoked. For whoever holds on to an identity. */
  isValid: (identity: Identity) => boolean;
  /** Told when tokens have been revoked, so that what they opened can be ended. Returns what stops it. */
  onRevoked: (listener: () => void) => () => void;
  close: () => void;
};
