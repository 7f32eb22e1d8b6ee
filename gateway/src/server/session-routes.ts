import { gatewayRoutes, type SessionJson, toTimeOrNull } from '@uncaged/protocol/api';
import { isProblem, Problem } from '@uncaged/protocol/problem';
import type { Audit } from '../audit/index.js';
import type { Auth, Identity } from '../auth/index.js';
import type { MountOwn } from './own-routes.js';

export function mountSession(mount: MountOwn, { auth, audit }: { auth: Auth; audit: Audit }): void {
  mount(gatewayRoutes.logIn, async ({ body, address }) => {
    try {
      const { identity, setCookie } = await auth.logIn(body.token, address);
      audit.record({ ...of(identity), address, action: 'login', status: 200 });
      return answer(sessionJson(identity), setCookie);
    } catch (error) {
      // Those that are not even looked at come as fast as somebody can send them, and would bury the rest.
      if (isProblem(error) && error.code !== 'rate-limited')
        audit.record({
          ...nobody,
          address,
          action: `login.refused ${error.code}`,
          status: error.status,
        });
      throw error;
    }
  });
  mount(gatewayRoutes.getSession, ({ asker }) => sessionJson(asker.identity));
  mount(gatewayRoutes.logOut, () => answer({ loggedOut: true }, auth.logOut()));
}

const nobody = { role: 'nobody', name: 'nobody', node: null, thread: null } as const;
const of = ({ role, name }: Identity) => ({ role, name, node: null, thread: null });

function sessionJson({ role, name, expiresAt }: Identity): SessionJson {
  if (role === 'node') throw new Problem('forbidden', 'A node has no session.');
  return { role, name, expiresAt: toTimeOrNull(expiresAt) };
}

function answer(body: object, setCookie: string): Response {
  return Response.json(body, { headers: { 'set-cookie': setCookie, 'cache-control': 'no-store' } });
}
