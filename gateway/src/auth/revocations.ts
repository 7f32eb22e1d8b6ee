import { stat } from 'node:fs/promises';
import { Problem } from '@uncaged/protocol/problem';
import type { Log } from '../log.js';
import { type Revocation, readRevokedFile } from './revoked-file.js';

/** Which tokens were revoked, as the file says; looked at again and again, because another process writes it. */
export type Revocations = {
  has: (tokenId: string) => boolean;
  /** Told after `has` knows of new ones. Returns what stops it. */
  onAdded: (listener: () => void) => () => void;
  close: () => void;
};

/**
 * Reads the file and goes on looking every `lookMs`. Throws invalid-config when it is damaged or cannot be read: starting
 * without it could let somebody in who was shut out. Once running, what was known stays known, whatever becomes of the file.
 */
export async function openRevocations({
  file,
  lookMs,
  clock,
  log,
}: {
  file: string;
  lookMs: number;
  clock: () => number;
  log: Log;
}): Promise<Revocations> {
  const revoked = new Map<string, Revocation>();
  const listeners = new Set<() => void>();
  let isClosed = false;
  let seen = await signOf(file);
  take((await readAtStart(file)) ?? []);

  /** Of tokens that have expired nothing needs to be known. True: there were new ones. */
  function take(revocations: readonly Revocation[]): boolean {
    const now = clock();
    const isPast = ({ expiresAt }: Revocation) => expiresAt !== null && expiresAt <= now;
    let isNew = false;
    for (const revocation of revoked.values())
      if (isPast(revocation)) revoked.delete(revocation.id);
    for (const revocation of revocations) {
      if (isPast(revocation)) continue;
      isNew ||= !revoked.has(revocation.id);
      revoked.set(revocation.id, revocation);
    }
    return isNew;
  }

  async function look(): Promise<void> {
    // Before it is read: what is written meanwhile is seen by the next look.
    const sign = await signOf(file);
    if (sign === seen) return;
    const content = await readRevokedFile(file);
    // Who has closed it may have taken the file away.
    if (isClosed) return;
    seen = sign;
    if (content === null) {
      log('BFHYRB55', `${file} is gone; the revocations that were in it go on until a restart`);
      return;
    }
    if (content.damaged.length > 0)
      log(
        'MENGKN8F',
        `${file} is damaged in line ${content.damaged.join(', ')}; the others and what was known before hold`,
      );
    if (take(content.revocations)) for (const listener of [...listeners]) listener();
  }

  let isLooking = false;
  let lastFailure = '';
  const timer = setInterval(() => {
    if (isLooking) return;
    isLooking = true;
    look()
      .then(
        () => {
          lastFailure = '';
        },
        (error: Error) => {
          // The same every second would bury the rest of the log.
          if (!isClosed && error.message !== lastFailure)
            log('B0RACNM6', `cannot look for revoked tokens in ${file}: ${error.message}`);
          lastFailure = error.message;
        },
      )
      .finally(() => {
        isLooking = false;
      });
  }, lookMs);

  return {
    has: (tokenId) => revoked.has(tokenId),
    onAdded(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    close() {
      isClosed = true;
      clearInterval(timer);
      listeners.clear();
    },
  };
}

/** Changes whenever the file does. */
async function signOf(file: string): Promise<string> {
  try {
    const { ino, size, mtimeNs } = await stat(file, { bigint: true });
    return `${ino} ${size} ${mtimeNs}`;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 'none';
    throw error;
  }
}

async function readAtStart(file: string): Promise<Revocation[] | null> {
  const content = await readRevokedFile(file).catch((error: NodeJS.ErrnoException) => {
    throw new Problem(
      'invalid-config',
      `The revoked tokens cannot be read from ${file} (${error.code ?? error.message}). Make it readable for this user.`,
      { cause: error },
    );
  });
  if (content === null) return null;
  const [line] = content.damaged;
  if (line !== undefined)
    throw new Problem(
      'invalid-config',
      `${file} is damaged in line ${line}: it may have said that a token is revoked. Remove the line and revoke that token again with \`uwf-gateway token --revoke\`; if you do not know which it was, change the key: every token becomes invalid.`,
    );
  return content.revocations;
}
