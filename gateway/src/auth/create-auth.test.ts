import { SignJWT } from 'jose';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  ADDRESS,
  bearer,
  createRig,
  KEY,
  type Rig,
  requestWith,
  SECRET,
  START_MS,
} from './auth.test-data.js';
import { revokeToken } from './issue.js';
import { deriveSigningKey } from './key.js';

const DAY_MS = 24 * 60 * 60 * 1000;

let rig: Rig;
beforeEach(async () => {
  rig = await createRig();
});
afterEach(() => rig.close());

/** What is thrown at once and what is rejected alike. */
async function outcomeOf(ask: () => unknown): Promise<unknown> {
  try {
    return await ask();
  } catch (error) {
    return (error as { code?: string }).code ?? error;
  }
}
const identify = (request: Parameters<Rig['auth']['identify']>[0], address = ADDRESS) =>
  outcomeOf(() => rig.auth.identify(request, address));

async function cookieOf(token: string): Promise<string> {
  const { setCookie } = await rig.auth.logIn(token, ADDRESS);
  return setCookie.split(';', 1)[0]!;
}

async function revoke(token: string): Promise<void> {
  const told = new Promise<void>((resolve) => {
    const stop = rig.auth.onRevoked(() => {
      stop();
      resolve();
    });
  });
  await revokeToken({ dataDir: rig.dataDir, key: KEY, tokenOrId: token, clock: () => rig.now.ms });
  await told;
}

describe('identify by bearer', () => {
  it('knows whose a token is, the second time at once', async () => {
    const token = await rig.issue('viewer', 'ada', 60_000);
    const first = rig.auth.identify(bearer(token), ADDRESS);
    expect(first).toBeInstanceOf(Promise);
    const identity = {
      role: 'viewer',
      name: 'ada',
      tokenId: expect.stringMatching(/^[0-9A-Za-z]{22}$/),
      expiresAt: START_MS + 60_000,
      by: 'bearer',
    };
    expect(await first).toEqual(identity);
    expect(rig.auth.identify(bearer(token), ADDRESS)).toEqual(identity);
  });

  it('takes the key itself as that of an operator', async () => {
    expect(await identify(bearer(SECRET))).toEqual({
      role: 'operator',
      name: 'operator',
      tokenId: null,
      expiresAt: null,
      by: 'bearer',
    });
  });

  it.each([
    ['one character less', SECRET.slice(0, -1)],
    ['one more', `${SECRET}x`],
    ['a NUL more', `${SECRET}\0\0`],
    ['a letter that UTF-8 writes in two bytes', `${SECRET.slice(0, -1)}é`],
    [
      'a letter whose lower byte is the right one',
      `${SECRET.slice(0, -1)}${String.fromCharCode(SECRET.charCodeAt(SECRET.length - 1) + 0x100)}`,
    ],
    ['far too many', SECRET.padEnd(5_000, 'x')],
    ['nothing', ''],
  ])('takes no text for the key that has %s', async (_what, text) => {
    expect(await outcomeOf(() => rig.auth.logIn(text, ADDRESS))).toBe('unauthorized');
  });

  it.each([
    ['bearer', ' '],
    ['BEARER', '   '],
    ['Bearer', '\t'],
  ])('takes %j followed by %j', async (scheme, space) => {
    const token = await rig.issue('viewer', 'ada');
    const request = requestWith(['authorization', `${scheme}${space}${token}  `]);
    expect(await identify(request)).toMatchObject({ name: 'ada' });
  });

  it.each(['Bearer', 'Bearer ', 'bearer   ', 'Bearer a b', 'Bearer ä', `Bearer ${SECRET} x`])(
    'refuses %j, which is not counted as a guess',
    async (value) => {
      for (let i = 0; i < 5; i++)
        expect(await identify(requestWith(['Authorization', value]))).toBe('unauthorized');
      expect(await identify(bearer(SECRET))).toMatchObject({ role: 'operator' });
    },
  );

  it('refuses a header that was sent twice, also with the same good token', async () => {
    const token = await rig.issue('operator', 'ada');
    await identify(bearer(token));
    const twice = requestWith(
      ['Authorization', `Bearer ${token}`],
      ['authorization', `Bearer ${token}`],
    );
    expect(await identify(twice)).toBe('unauthorized');
  });

  it('refuses a request that shows nothing, and does not look at its query', async () => {
    const token = await rig.issue('operator', 'ada');
    const request = requestWith(['host', 'x']);
    request.url = `/api/nodes?token=${token}&access_token=${token}`;
    expect(await identify(request)).toBe('unauthorized');
  });

  it('does not fall back to a good cookie when the bearer is wrong', async () => {
    const cookie = await cookieOf(SECRET);
    const request = requestWith(['Authorization', 'Bearer wrong-wrong-wrong'], ['Cookie', cookie]);
    expect(await identify(request)).toBe('unauthorized');
  });

  it('leaves the scheme of a proxy in front alone and looks at the cookie', async () => {
    const cookie = await cookieOf(SECRET);
    const request = requestWith(['Authorization', 'Basic YTpi'], ['Cookie', cookie]);
    expect(await identify(request)).toMatchObject({ role: 'operator', by: 'cookie' });
  });

  it('refuses a token that expires while it is cached, to the millisecond', async () => {
    const token = await rig.issue('viewer', 'ada', 60_000);
    const identity = await rig.auth.identify(bearer(token), ADDRESS);
    rig.now.ms = START_MS + 59_999;
    expect(await identify(bearer(token))).toMatchObject({ name: 'ada' });
    expect(rig.auth.isValid(identity)).toBe(true);
    rig.now.ms = START_MS + 60_000;
    expect(await identify(bearer(token))).toBe('unauthorized');
    expect(rig.auth.isValid(identity)).toBe(false);
  });

  it('says of an expired token that it has expired', async () => {
    const token = await rig.issue('viewer', 'ada', 60_000);
    rig.now.ms += 60_000;
    await expect(async () => rig.auth.identify(bearer(token), ADDRESS)).rejects.toThrow(
      /expired at 2026-03-01T12:01:00.000Z.*uwf-gateway token/,
    );
  });

  it('refuses a token of another key, and the algorithm none, and another algorithm', async () => {
    const claims = { sub: 'eve', role: 'operator', jti: 'a'.repeat(22), iat: 1 };
    const sign = async (key: Awaited<ReturnType<typeof deriveSigningKey>>, alg: string) =>
      await new SignJWT(claims).setProtectedHeader({ alg, typ: 'uwf-token' }).sign(key);
    const good = await sign(await deriveSigningKey(SECRET), 'HS256');
    expect(await identify(bearer(good))).toMatchObject({ name: 'eve' });

    const other = await sign(await deriveSigningKey(`${SECRET}x`), 'HS256');
    expect(await identify(bearer(other))).toBe('unauthorized');

    const base64 = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const [, payload, signature] = good.split('.');
    for (const alg of ['none', 'None', 'HS512', 'RS256']) {
      const header = base64({ alg, typ: 'uwf-token' });
      expect(await identify(bearer(`${header}.${payload}.${signature}`))).toBe('unauthorized');
    }
    const bare = `${base64({ alg: 'none', typ: 'uwf-token' })}.${payload}.`;
    expect(await identify(bearer(bare))).toBe('unauthorized');
  });

  it.each([
    ['no id', { jti: undefined }],
    ['an unknown role', { role: 'admin' }],
    ['no name', { sub: undefined }],
    ['a name that breaks lines', { sub: 'a\nb' }],
  ])('refuses what is well signed but has %s', async (_, change: Record<string, unknown>) => {
    const claims = { sub: 'ada', role: 'operator', jti: 'a'.repeat(22), iat: 1, ...change };
    const token = await new SignJWT(claims)
      .setProtectedHeader({ alg: 'HS256', typ: 'uwf-token' })
      .sign(await deriveSigningKey(SECRET));
    expect(await identify(bearer(token))).toBe('unauthorized');
  });

  it('refuses the value of a session as bearer, and a token as cookie', async () => {
    const token = await rig.issue('operator', 'ada');
    const cookie = await cookieOf(token);
    expect(await identify(requestWith(['Cookie', cookie]))).toMatchObject({ name: 'ada' });
    expect(await identify(bearer(cookie.slice('uwf_4800='.length)))).toBe('unauthorized');
    expect(await identify(requestWith(['Cookie', `uwf_4800=${token}`]))).toBe('unauthorized');
    expect(await identify(requestWith(['Cookie', `uwf_4800=${SECRET}`]))).toBe('unauthorized');
  });

  it('goes by the type that was signed, not by the claims', async () => {
    const exp = START_MS / 1000 + 60;
    const claims = { sub: 'ada', role: 'operator', jti: 'a'.repeat(22), tid: null, iat: 1, exp };
    const sign = async (typ: string) =>
      await new SignJWT(claims)
        .setProtectedHeader({ alg: 'HS256', typ })
        .sign(await deriveSigningKey(SECRET));
    const ways = (text: string) => [bearer(text), requestWith(['Cookie', `uwf_4800=${text}`])];
    const [asToken, tokenAsCookie] = ways(await sign('uwf-token'));
    const [sessionAsBearer, asSession] = ways(await sign('uwf-session'));
    expect(await identify(asToken!)).toMatchObject({ by: 'bearer' });
    expect(await identify(asSession!)).toMatchObject({ by: 'cookie' });
    expect(await identify(tokenAsCookie!)).toBe('unauthorized');
    expect(await identify(sessionAsBearer!)).toBe('unauthorized');
    for (const request of ways(await sign('JWT')))
      expect(await identify(request)).toBe('unauthorized');
  });

  it('refuses what another key signed after the key was changed', async () => {
    const token = await rig.issue('operator', 'ada');
    const cookie = await cookieOf(token);
    const other = await rig.restarted({ key: { secret: 'quite-another-secret', file: null } });
    for (const request of [bearer(token), requestWith(['Cookie', cookie]), bearer(SECRET)])
      expect(await outcomeOf(() => other.identify(request, ADDRESS))).toBe('unauthorized');
  });
});

describe('revoking', () => {
  it('ends a cached token, its sessions, and tells those who hold on to it', async () => {
    const token = await rig.issue('operator', 'ada');
    const spared = await rig.issue('operator', 'bob');
    const request = requestWith(['Cookie', await cookieOf(token)]);
    const identity = await rig.auth.identify(bearer(token), ADDRESS);
    const session = await rig.auth.identify(request, ADDRESS);
    await identify(bearer(spared));
    await revoke(token);
    expect(await identify(bearer(token))).toBe('token-revoked');
    expect(await identify(request)).toBe('token-revoked');
    expect(rig.auth.isValid(identity)).toBe(false);
    expect(rig.auth.isValid(session)).toBe(false);
    expect(await outcomeOf(() => rig.auth.logIn(token, ADDRESS))).toBe('token-revoked');
    expect(await identify(bearer(spared))).toMatchObject({ name: 'bob' });
  });

  it('holds after a restart', async () => {
    const token = await rig.issue('operator', 'ada');
    await revoke(token);
    const again = await rig.restarted();
    expect(await outcomeOf(() => again.identify(bearer(token), ADDRESS))).toBe('token-revoked');
  });
});

describe('sessions', () => {
  it('come as a cookie that scripts and other sites cannot use', async () => {
    const token = await rig.issue('viewer', 'ada', 90_000);
    const { identity, setCookie } = await rig.auth.logIn(` ${token}\n`, ADDRESS);
    expect(setCookie).toMatch(
      /^uwf_4800=[\w-]+\.[\w-]+\.[\w-]+; Path=\/; Max-Age=90; HttpOnly; SameSite=Strict$/,
    );
    expect(identity).toMatchObject({
      role: 'viewer',
      name: 'ada',
      by: 'cookie',
      expiresAt: START_MS + 90_000,
    });
    expect(rig.auth.logOut()).toBe('uwf_4800=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict');
  });

  it('are Secure when browsers come by https', async () => {
    const auth = await rig.restarted({ secure: true, port: 443 });
    const { setCookie } = await auth.logIn(SECRET, ADDRESS);
    expect(setCookie).toMatch(/^uwf_443=.*; Secure$/);
    expect(auth.logOut()).toMatch(/; Secure$/);
  });

  it('end after 30 days, also those of the key', async () => {
    const request = requestWith(['Cookie', await cookieOf(SECRET)]);
    rig.now.ms += 30 * DAY_MS - 1;
    expect(await identify(request)).toMatchObject({ name: 'operator', tokenId: null });
    rig.now.ms += 1;
    expect(await identify(request)).toBe('unauthorized');
    const restarted = await rig.restarted();
    expect(await outcomeOf(() => restarted.identify(request, ADDRESS))).toBe('unauthorized');
  });

  it('survive a restart of the gateway', async () => {
    const request = requestWith(['Cookie', await cookieOf(await rig.issue('viewer', 'ada'))]);
    const again = await rig.restarted();
    expect(await again.identify(request, ADDRESS)).toMatchObject({ name: 'ada', by: 'cookie' });
    expect(again.identify(request, ADDRESS)).not.toBeInstanceOf(Promise);
  });

  it('are not for nodes', async () => {
    const token = await rig.issue('node', 'build-1');
    expect(await identify(bearer(token))).toMatchObject({ role: 'node', name: 'build-1' });
    for (let i = 0; i < 5; i++)
      expect(await outcomeOf(() => rig.auth.logIn(token, ADDRESS))).toBe('forbidden');
  });
});

describe('guessing', () => {
  it('of the key is stopped after some wrong ones, and the right one then waits too', async () => {
    for (let i = 0; i < 3; i++)
      expect(await identify(bearer(`wrong-wrong-wrong-${i}`))).toBe('unauthorized');
    expect(await identify(bearer(SECRET))).toBe('rate-limited');
    expect(await outcomeOf(() => rig.auth.logIn(SECRET, ADDRESS))).toBe('rate-limited');
    expect(await identify(bearer(SECRET), '192.0.2.8')).toMatchObject({ role: 'operator' });
    rig.now.ms += 60_000;
    expect(await identify(bearer(SECRET))).toMatchObject({ role: 'operator' });
  });

  it('counts guesses that come at once', async () => {
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        outcomeOf(() => rig.auth.logIn(`guess-guess-guess-${i}`, ADDRESS)),
      ),
    );
    expect(outcomes.filter((outcome) => outcome === 'unauthorized')).toHaveLength(3);
  });

  it('does not lock out tokens, known or not', async () => {
    const known = await rig.issue('viewer', 'ada');
    const unknown = await rig.issue('viewer', 'bob');
    await identify(bearer(known));
    for (let i = 0; i < 9; i++) await identify(bearer('wrong-wrong-wrong-wrong'));
    expect(await identify(bearer(known))).toMatchObject({ name: 'ada' });
    expect(await identify(bearer(unknown))).toMatchObject({ name: 'bob' });
    expect(await outcomeOf(() => rig.auth.logIn(known, ADDRESS))).toMatchObject({
      identity: { name: 'ada' },
    });
  });

  it('is not what wrong tokens are taken for, except at the login', async () => {
    const wrong = `${(await rig.issue('viewer', 'ada')).slice(0, -43)}${'A'.repeat(43)}`;
    for (let i = 0; i < 9; i++) expect(await identify(bearer(wrong))).toBe('unauthorized');
    expect(await identify(bearer(SECRET))).toMatchObject({ role: 'operator' });
    for (let i = 0; i < 3; i++)
      expect(await outcomeOf(() => rig.auth.logIn(wrong, ADDRESS))).toBe('unauthorized');
    expect(await outcomeOf(() => rig.auth.logIn(wrong, ADDRESS))).toBe('rate-limited');
  });
});

it('never repeats what was shown in what it says', async () => {
  const shown = ['hunter2-hunter2-hunter2', `eyJhdd.eyJ4dd.${'B'.repeat(43)}`];
  for (const secret of shown) {
    const messages = await Promise.all(
      [
        () => rig.auth.identify(bearer(secret), ADDRESS),
        () => rig.auth.identify(requestWith(['Cookie', `uwf_4800=${secret}`]), ADDRESS),
        () => rig.auth.logIn(secret, ADDRESS),
      ].map(async (ask) => {
        try {
          await ask();
        } catch (error) {
          return JSON.stringify([error, (error as Error).message, rig.logged]);
        }
        throw new Error('was let in');
      }),
    );
    for (const message of messages) expect(message).not.toContain(secret);
  }
});

it('stops looking for revocations when it is closed', async () => {
  const told = vi.fn();
  rig.auth.onRevoked(told);
  rig.auth.close();
  const other = await rig.restarted();
  const seen = new Promise<void>((resolve) => void other.onRevoked(resolve));
  const token = await rig.issue('viewer', 'ada');
  await revokeToken({ dataDir: rig.dataDir, key: KEY, tokenOrId: token, clock: () => rig.now.ms });
  await seen;
  expect(told).not.toHaveBeenCalled();
});
