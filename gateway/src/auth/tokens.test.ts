import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SECRET, START_MS } from './auth.test-data.js';
import { deriveSigningKey } from './key.js';
import { createToken, verifyToken } from './tokens.js';

const clock = () => START_MS;
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

async function make(lifetimeMs: number | null = null) {
  const signingKey = await deriveSigningKey(SECRET);
  const created = await createToken(signingKey, { role: 'viewer', name: 'ada', lifetimeMs, clock });
  const outcome = async (token: string) =>
    (await verifyToken(signingKey, { token, clock })).outcome;
  return { ...created, outcome };
}

describe('a token', () => {
  it('is refused when any one of its characters is another', async () => {
    const { token, outcome } = await make();
    expect(await outcome(token)).toBe('good');
    await fc.assert(
      fc.asyncProperty(
        fc.nat(token.length - 1),
        fc.constantFrom(...ALPHABET, '.', '+', '/', '=', ' ', '\n', 'é'),
        async (at, character) => {
          fc.pre(token[at] !== character);
          expect(await outcome(token.slice(0, at) + character + token.slice(at + 1))).toBe('wrong');
        },
      ),
      { numRuns: 2000 },
    );
  });

  it('is refused in the other spellings that its last character could have', async () => {
    const { token, outcome } = await make();
    const good = [];
    for (const last of ALPHABET)
      if ((await outcome(token.slice(0, -1) + last)) === 'good') good.push(last);
    expect(good).toEqual([token.at(-1)]);
  });

  it('is refused when something is added, left out or put around it', async () => {
    const { token, outcome } = await make();
    const others = [`${token}=`, `${token}A`, token.slice(0, -1), ` ${token}`, `${token}\n`];
    others.push(`${token}.${token}`, token.replaceAll('.', '..'), '', '.', '..', 'a'.repeat(9999));
    for (const other of others) expect(await outcome(other)).toBe('wrong');
  });

  it('says when it expires, in whole seconds', async () => {
    expect((await make(1500)).expiresAt).toBe(START_MS + 1000);
    expect((await make(null)).expiresAt).toBeNull();
  });

  it('has an id of its own', async () => {
    const ids = await Promise.all(Array.from({ length: 50 }, async () => (await make()).id));
    expect(new Set(ids).size).toBe(50);
  });

  it.each([
    ['node', 'Build-1'],
    ['node', '-x'],
    ['node', ''],
    ['viewer', ''],
    ['viewer', 'a b'],
    ['operator', '../x'],
    ['operator', 'x'.repeat(64)],
  ] as const)('is not made for the %s %j', async (role, name) => {
    const signingKey = await deriveSigningKey(SECRET);
    await expect(
      createToken(signingKey, { role, name, lifetimeMs: null, clock }),
    ).rejects.toMatchObject({ code: 'invalid-argument' });
  });
});
