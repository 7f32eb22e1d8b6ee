import { gatewayRoutes, type SessionJson } from '@uncaged/protocol/api';
import type { Hono } from 'hono';
import { checkedCall, json } from './checked-call.js';
import type { ServeEnv, Serving } from './context.js';
import { addressOf } from './guard.js';
import { LOGIN_MAX_BYTES } from './limits.js';

/** There is one token, and whoever has it may do everything. */
const SESSION: SessionJson = { role: 'operator', name: 'operator', expiresAt: null };

export function mountSession(app: Hono<ServeEnv>, serving: Serving): void {
  const { access, log } = serving;
  const { logIn, getSession, logOut } = gatewayRoutes;

  app.post(logIn.path, async (c) => {
    const { body } = await checkedCall(logIn, c, { bodyMaxBytes: LOGIN_MAX_BYTES });
    const address = addressOf(c);
    const cookie = access.logIn(body.token, address);
    log('5JX0RDM8', `logged in from ${address}`);
    return json(SESSION, 200, { 'set-cookie': cookie });
  });

  app.get(getSession.path, () => json(SESSION));

  app.delete(logOut.path, () => json({ loggedOut: true }, 200, { 'set-cookie': access.logOut() }));
}
