import { mkdtempSync, rmSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type AuthInput, createAuth } from './create-auth.js';
import { issueToken } from './issue.js';
import type { Role } from './tokens.js';
import type { Auth } from './types.js';

export const START_MS = Date.parse('2026-03-01T12:00:00.000Z');
export const SECRET = 'a-secret-of-the-tests-0123456789';
export const KEY = { secret: SECRET, file: null };
export const ADDRESS = '192.0.2.7';

export function temporaryDir(): string {
  return mkdtempSync(join(tmpdir(), 'uwf-auth-'));
}

/** Requests as Node hands them out. */
export function requestWith(...headers: [name: string, value: string][]): IncomingMessage {
  const byName: Record<string, string> = {};
  for (const [name, value] of headers) byName[name.toLowerCase()] ??= value;
  return { headers: byName, rawHeaders: headers.flat() } as unknown as IncomingMessage;
}

export function bearer(token: string): IncomingMessage {
  return requestWith(['Authorization', `Bearer ${token}`]);
}

export type Rig = {
  auth: Auth;
  dataDir: string;
  now: { ms: number };
  logged: string[];
  issue: (role: Role, name: string, lifetimeMs?: number | null) => Promise<string>;
  /** Another gateway with the same data. */
  restarted: (changes?: Partial<AuthInput>) => Promise<Auth>;
  close: () => void;
};

export async function createRig(changes: Partial<AuthInput> = {}): Promise<Rig> {
  const dataDir = temporaryDir();
  const now = { ms: START_MS };
  const logged: string[] = [];
  const opened: Auth[] = [];
  const clock = () => now.ms;
  const restarted = async (more: Partial<AuthInput> = {}) => {
    const auth = await createAuth({
      dataDir,
      key: KEY,
      port: 4800,
      secure: false,
      limits: { failuresMax: 3, failureWindowMs: 60_000, revocationLookMs: 5 },
      clock,
      log: (_, text) => logged.push(text),
      ...changes,
      ...more,
    });
    opened.push(auth);
    return auth;
  };
  return {
    auth: await restarted(),
    dataDir,
    now,
    logged,
    issue: async (role, name, lifetimeMs = null) =>
      (await issueToken({ key: KEY, role, name, lifetimeMs, clock })).token,
    restarted,
    close: () => {
      for (const auth of opened) auth.close();
      rmSync(dataDir, { recursive: true });
    },
  };
}
