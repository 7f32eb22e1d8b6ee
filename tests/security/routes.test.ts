import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createGateway, startNode, type TestGateway } from '../support/gateway.js';
import { type Service, startService, untilSaid } from '../support/service.js';
import { until } from '../support/until.js';
import { createMachine, type Machine } from '../support/uwf.js';
import { createSaid } from './no-secrets.js';
import { CASES, GATEWAY_PLACES, NODE, type Place } from './route-places.js';
import { dialNode } from './test-nodes.js';
import { forge, inSeconds } from './tokens.js';

/** A revocation is noticed within a second; two cores with other tests make it slower. */
const REVOKED_MAX_MS = 5_000;
const IN_FLIGHT = 16;
const OTHER_KEY = 'the-key-of-another-gateway';

/** Places beside the table. */
const BESIDE: readonly Place[] = [
  ['GET', '/metrics'],
  ['GET', '/api/openapi.json'],
  ['GET', `/api/nodes/${NODE}/openapi.json`],
].map(([method, path]) => ({
  name: `${method} ${path}`,
  route: 'beside',
  method: method as 'GET',
  path: path!,
  allow: 'read',
}));
const PLACES = [...GATEWAY_PLACES, ...BESIDE];
const GUARDED = PLACES.filter(({ allow }) => allow !== null);

describe('the routes of a gateway', () => {
  const said = createSaid();
  let machine: Machine;
  let gateway: TestGateway;
  let node: Service;
  let tokens: Record<'viewer' | 'operator' | 'node' | 'revoked' | 'expired' | 'leaving', string>;
  let cookie: string;

  beforeAll(async () => {
    machine = createMachine();
    // Wrong keys are counted; that they are is tested elsewhere.
    gateway = await createGateway({ limits: { failuresMax: 1_000_000 } });
    const [viewer, operator, ofNode, revoked, expired, leaving] = await Promise.all([
      gateway.token('viewer', 'vera'),
      gateway.token('operator', 'otto'),
      gateway.token('node', NODE),
      gateway.token('operator', 'rita'),
      gateway.token('operator', 'erna', '1s'),
      gateway.token('viewer', 'lena'),
    ]);
    tokens = { viewer, operator, node: ofNode, revoked, expired, leaving };
    node = startNode(machine, gateway, {
      name: NODE,
      token: ofNode,
      allow: 'read,control,run,publish',
    });
    const login = await gateway.ask('POST', '/api/session', {
      token: null,
      body: { token: operator },
    });
    cookie = /=([^;]+);/.exec(login.headers.get('set-cookie')!)![1]!;
    await Promise.all([gateway.untilNode(NODE), revoke(revoked)]);
    await until('the revocation is known', async () => {
      return (await gateway.ask('GET', '/api/session', { token: revoked })).status === 401;
    });
    await until('the token has expired', async () => {
      return (await gateway.ask('GET', '/api/session', { token: expired })).status === 401;
    });
  });
  afterAll(async () => {
    await node.stop();
    await gateway.service().stop();
    said.add('gateway', gateway.service().output.stdout + gateway.service().output.stderr);
    said.add('node', node.output.stdout + node.output.stderr);
    said.addFiles(gateway.dataDir, ['/key']);
    said.addFiles(machine.root);
    said.expectNone([gateway.key, cookie, ...Object.values(tokens)]);
    await gateway.dispose();
    await machine.dispose();
  });

  async function revoke(token: string): Promise<void> {
    const args = ['token', '--revoke', token, '--data', gateway.dataDir];
    const bin = new URL('../../gateway/bin/uwf-gateway.js', import.meta.url).pathname;
    const service = startService(bin, args, {
      cwd: machine.cwd,
      env: { PATH: process.env.PATH, HOME: machine.cwd },
    });
    await untilSaid(service, 'stdout', /^revoked \w+\n/);
    said.add('uwf-gateway token --revoke', service.output.stdout + service.output.stderr);
  }

  /** The status and code of an answer; of a stream only the head is waited for. */
  async function answerOf(
    { method, path, route }: Place,
    headers: Record<string, string>,
  ): Promise<string> {
    const leave = new AbortController();
    const body = method === 'POST' ? (CASES[route]?.body ?? {}) : undefined;
    const response = await gateway.ask(method, path, {
      token: null,
      headers,
      body,
      signal: leave.signal,
    });
    const type = response.headers.get('content-type') ?? '';
    if (!type.startsWith('application/problem+json')) {
      leave.abort();
      return String(response.status);
    }
    const text = await response.text();
    said.add(`${method} ${path}`, text);
    return `${response.status} ${(JSON.parse(text) as { code: string }).code}`;
  }

  /** `place: answer` for each place, so that a failure shows which ones. */
  async function walk(
    places: readonly Place[],
    headers: Record<string, string>,
    change: (place: Place) => Place = (place) => place,
  ): Promise<string[]> {
    const answers: string[] = [];
    for (let at = 0; at < places.length; at += IN_FLIGHT)
      answers.push(
        ...(await Promise.all(
          places
            .slice(at, at + IN_FLIGHT)
            .map(async (place) => `${place.name}: ${await answerOf(change(place), headers)}`),
        )),
      );
    return answers;
  }
  const all = (places: readonly Place[], answer: string) =>
    places.map(({ name }) => `${name}: ${answer}`);
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

  it('are all known to this walk', async () => {
    const names = GATEWAY_PLACES.map(({ route }) => route);
    expect(Object.keys(CASES).sort()).toEqual([...new Set(names)].sort());
  });

  it('are those that gateway and node say they have', async () => {
    const pathsAt = async (path: string) =>
      Object.entries(
        (await gateway.json<{ paths: Record<string, object> }>('GET', path)).paths,
      ).flatMap(([at, methods]) => Object.keys(methods).map((m) => `${m.toUpperCase()} ${at}`));
    const shape = ({ method, path }: Place) =>
      `${method} ${path}`
        .replace(`/nodes/${NODE}`, '/nodes/{}')
        .replaceAll(/\/(no-such-workflow|01J0\w+|0123456789ABC)/g, '/{}');
    const listed = new Set(GATEWAY_PLACES.map(shape));
    const own = await pathsAt('/api/openapi.json');
    const ofNode = await pathsAt(`/api/nodes/${NODE}/openapi.json`);
    const served = [...own, ...ofNode.map((line) => line.replace('/api', '/api/nodes/{}'))];
    const unknown = served.map((line) => line.replaceAll(/\{\w*\}/g, '{}'));
    expect(unknown.filter((line) => !listed.has(line))).toEqual([]);
    expect(own.length).toBeGreaterThan(30);
  });

  it('ask everybody who they are', async () => {
    expect(await walk(GUARDED, {})).toEqual(all(GUARDED, '401 unauthorized'));
  });

  it('take what this gateway signed, and nothing that looks like it', async () => {
    const { operator, expired } = tokens;
    const [header, claims, signature] = operator.split('.') as [string, string, string];
    // Shows that what follows is refused for what is wrong with it, and not for the way it was made.
    expect(await walk(GUARDED.slice(0, 1), bearer(forge(gateway.key)))).toEqual(
      all(GUARDED.slice(0, 1), '200'),
    );
    const wrong: Record<string, Record<string, string>> = {
      'a guess': bearer('a-guess-of-the-key-of-it'),
      expired: bearer(expired),
      'expired long ago': bearer(forge(gateway.key, { claims: { exp: inSeconds(-3600) } })),
      'signed by another gateway': bearer(forge(OTHER_KEY)),
      'signed with the key itself as it is written': bearer(
        forge('', { signature: Buffer.from(gateway.key).toString('base64url').slice(0, 43) }),
      ),
      'not signed': bearer(forge('', { header: { alg: 'none' }, signature: '' })),
      'not signed, with a signature': bearer(
        forge(gateway.key, { header: { alg: 'none' }, signature }),
      ),
      'alg none, but signed': bearer(forge(gateway.key, { header: { alg: 'none' } })),
      'signed otherwise': bearer(forge(gateway.key, { header: { alg: 'HS512' } })),
      'the claims of one, the signature of another': bearer(forge('', { signature })),
      'without a signature': bearer(`${header}.${claims}.`),
      'of a role that there is not': bearer(
        forge(gateway.key, { claims: { role: 'administrator' } }),
      ),
      'a session as a token': bearer(cookie),
      'a token as a session': { cookie: `uwf_${gateway.port}=${operator}` },
      'a session of another port': { cookie: `uwf_${gateway.port + 1}=${cookie}` },
      'basic auth': {
        authorization: `Basic ${Buffer.from(`x:${gateway.key}`).toString('base64')}`,
      },
      'nothing after Bearer': { authorization: 'Bearer' },
      'two tokens': bearer(`${operator} ${operator}`),
      'in another header': { 'x-api-key': operator, 'proxy-authorization': `Bearer ${operator}` },
    };
    for (const [what, headers] of Object.entries(wrong)) {
      const answers = await walk(GUARDED, headers);
      expect({ what, answers }).toEqual({ what, answers: all(GUARDED, '401 unauthorized') });
    }
    expect(await walk(GUARDED, bearer(tokens.revoked))).toEqual(all(GUARDED, '401 token-revoked'));
  });

  it('do not look for a token in the query', async () => {
    const query = new URLSearchParams({
      token: tokens.operator,
      key: gateway.key,
      access_token: tokens.operator,
    });
    const answers = await walk(GUARDED, {}, (place) => ({
      ...place,
      path: `${place.path}?${query}`,
    }));
    expect(answers).toEqual(all(GUARDED, '401 unauthorized'));
  });

  it('are closed to the token of a node', async () => {
    expect(await walk(GUARDED, bearer(tokens.node))).toEqual(all(GUARDED, '403 forbidden'));
  });

  it('let a viewer look and nothing else', async () => {
    const changing = GUARDED.filter(({ allow }) => allow !== 'read');
    expect(changing.length).toBeGreaterThan(15);
    expect(await walk(changing, bearer(tokens.viewer))).toEqual(all(changing, '403 forbidden'));
    const reading = GUARDED.filter(({ allow }) => allow === 'read');
    for (const answer of await walk(reading, bearer(tokens.viewer)))
      expect(answer).toMatch(/: (200|404 \S+)$/);
  });

  it('cannot be had otherwise by a viewer who spells them in another way', async () => {
    const spelled = GUARDED.filter(({ allow }) => allow !== 'read').map((place) => ({
      ...place,
      path: place.path.replace(/.$/, (last) => `%${last.charCodeAt(0).toString(16)}`),
    }));
    for (const answer of await walk(spelled, bearer(tokens.viewer)))
      expect(answer).toMatch(/: (400|403|404) \S+$/);
    const heads = GUARDED.filter(({ allow, method }) => allow !== 'read' && method === 'GET');
    for (const { path } of heads) {
      const response = await gateway.ask('HEAD', path, { token: tokens.viewer });
      expect(`${path}: ${response.status}`).toBe(`${path}: 403`);
    }
  });

  it('answer an operator', async () => {
    // A store is collected or verified, not both at once.
    const isAlone = ({ route }: Place) => route === 'verifyCas';
    const [alone, others] = [PLACES.filter(isAlone), PLACES.filter((place) => !isAlone(place))];
    const expected = [...others, ...alone].map((place) => {
      const status = place.route === 'beside' ? 200 : CASES[place.route]!.status;
      return `${place.name}: ${status}`;
    });
    const answers = await walk(others, bearer(tokens.operator));
    answers.push(...(await walk(alone, bearer(tokens.operator))));
    expect(answers.map((answer) => answer.replace(/( \d{3}) .*$/, '$1'))).toEqual(expected);
  });

  it('end what a revoked token has opened, its session and its node too', async () => {
    const streaming = await dialNode(gateway, { name: 'streaming' }, async (request, respond) => {
      const writer = respond({
        status: 200,
        headers: [['content-type', 'text/event-stream']],
        end: false,
      });
      await writer.write(Buffer.from(': begun\n\n'));
      await new Promise((resolve) => request.signal.addEventListener('abort', resolve));
    });
    await gateway.untilNode('streaming');
    const token = tokens.leaving;
    const login = await gateway.ask('POST', '/api/session', { token: null, body: { token } });
    const session = login.headers.get('set-cookie')!.split(';')[0]!;
    const byCookie = { token: null, headers: { cookie: session } };
    const streams = await Promise.all([
      gateway.ask('GET', '/api/events', { token }),
      gateway.ask('GET', '/api/events', byCookie),
      gateway.ask('GET', '/api/nodes/streaming/events', { token }),
      gateway.ask('GET', '/api/nodes/streaming/events', byCookie),
      gateway.ask('GET', `/api/nodes/${NODE}/events`, { token }),
    ]);
    expect(streams.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    const startedAt = performance.now();
    await Promise.all([revoke(token), revoke(tokens.node)]);
    await Promise.all(
      streams.map((stream) =>
        Promise.race([
          stream.text().catch(() => 'broken off'),
          new Promise((_, reject) =>
            setTimeout(
              () => reject(new Error(`${stream.url} goes on after its token was revoked`)),
              REVOKED_MAX_MS,
            ).unref(),
          ),
        ]),
      ),
    );
    await until('the node ends', () => node.exitCode() !== null, REVOKED_MAX_MS);
    await gateway.untilNode(NODE, 'offline');
    expect(performance.now() - startedAt).toBeLessThan(2 * REVOKED_MAX_MS);
    expect(node.exitCode()).not.toBe(0);
    expect(node.output.stderr).toMatch(/revoked/);
    expect((await gateway.ask('GET', '/api/session', byCookie)).status).toBe(401);
    streaming.close();
    await gateway.untilNode('streaming', 'offline');
  });
});
