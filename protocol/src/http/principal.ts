/** `<role> <percent-encoded name>`: who asks, as the gateway says to a node. It drops a client's own. */
export const PRINCIPAL_HEADER = 'x-uwf-principal';

/** Who may ask for anything: a viewer looks, an operator changes things too. */
export type Principal = { role: 'viewer' | 'operator'; name: string };

const PRINCIPAL = /^(viewer|operator) ([A-Za-z0-9%._~!*'()-]{1,300})$/;

export function formatPrincipal({ role, name }: Principal): string {
  return `${role} ${encodeURIComponent(name)}`;
}

/** Null: it does not say who asks. */
export function parsePrincipal(text: string): Principal | null {
  const match = PRINCIPAL.exec(text);
  if (match === null) return null;
  try {
    return { role: match[1] as Principal['role'], name: decodeURIComponent(match[2]!) };
  } catch (error) {
    if (error instanceof URIError) return null;
    throw error;
  }
}
