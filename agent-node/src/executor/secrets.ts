import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { Problem } from '@uncaged/protocol/problem';
import type { ResolveSecret } from '../agents/index.js';

/** Value of `env:NAME` or `file:path`; null when nobody gives it. `env:NAME` is looked up in `<root>/env` first, then in the worker's own environment. */
export function createSecretResolver(root: string, env: NodeJS.ProcessEnv): ResolveSecret {
  return (reference) => {
    if (reference.startsWith('env:'))
      return fromEnvironment(root, env, reference.slice('env:'.length));
    if (reference.startsWith('file:')) return fromFile(reference.slice('file:'.length));
    return null;
  };
}

function fromEnvironment(root: string, env: NodeJS.ProcessEnv, name: string): string | null {
  const text = readIfThere(join(root, 'env'));
  return (text === null ? undefined : parseEnv(text)[name]) ?? env[name] ?? null;
}

function fromFile(path: string): string | null {
  return readIfThere(path)?.trim() ?? null;
}

function readIfThere(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw new Problem('secret-unresolved', `${path}, which holds secrets, cannot be read`, {
      cause: error,
    });
  }
}
