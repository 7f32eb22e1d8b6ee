import { createHmac, hkdfSync } from 'node:crypto';

const SIGNING_INFO = 'uncaged-workflow gateway token signing v1';
const KEY_BYTES = 32;
const SECOND_MS = 1000;

export type Forgery = {
  claims?: Record<string, unknown>;
  header?: Record<string, unknown>;
  /** In place of the one that belongs to it. */
  signature?: string;
};

/** What somebody who has `secret` could sign, and what somebody who has not could try: a token of an operator unless said otherwise. */
export function forge(secret: string, { claims = {}, header = {}, signature }: Forgery = {}) {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const signed = [
    part({ alg: 'HS256', typ: 'uwf-token', ...header }),
    part({
      sub: 'mallory',
      role: 'operator',
      jti: 'A'.repeat(22),
      iat: Math.floor(Date.now() / SECOND_MS),
      ...claims,
    }),
  ].join('.');
  const key = Buffer.from(hkdfSync('sha256', secret, '', SIGNING_INFO, KEY_BYTES));
  return `${signed}.${signature ?? createHmac('sha256', key).update(signed).digest('base64url')}`;
}

/** In `seconds` from now, as `exp` of a token says it. */
export function inSeconds(seconds: number): number {
  return Math.floor(Date.now() / SECOND_MS) + seconds;
}
