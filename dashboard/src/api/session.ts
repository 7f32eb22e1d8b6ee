import { createGatewayClient, type SessionJson } from '@uncaged/protocol/api';
import { isLoggedOut } from './failure.js';

/** Who is logged in; null: nobody. */
export async function getSession(signal?: AbortSignal): Promise<SessionJson | null> {
  try {
    return await createGatewayClient().getSession({ signal });
  } catch (error) {
    if (isLoggedOut(error)) return null;
    throw error;
  }
}

/** A token becomes a cookie that scripts cannot read. */
export function logIn(token: string): Promise<SessionJson> {
  return createGatewayClient().logIn({ body: { token } });
}

export async function logOut(): Promise<void> {
  await createGatewayClient().logOut();
}
