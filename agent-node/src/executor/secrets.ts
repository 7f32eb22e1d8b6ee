import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { Problem } from '@uncaged/protocol/problem';

/** Value of `env:NAME` or `file:path`; anything else stands for itself. Throws secret-unresolved. */
export type SecretResolver = (reference: string) => string;

/** `env:NAME` is looked up in `<root>/env` first, then in the worker's own environment. */
export function createSecretResolver(root: string, env: NodeJS.ProcessEnv): SecretResolver {
  return (reference) => {
    if (reference.startsWith('env:')) return fromEnvironment(root, env, reference.slice('env:'.length));
    if (reference.startsWith('file:')) return fromFile(reference.slice('file:'.length));
    return reference;
  };
}

function fromEnvironment(root: string, env: NodeJS.ProcessEnv, name: string): string {
  const file = join(root, 'env');
  const value = readIfThere(file, name)?.[name] ?? env[name];
  if (value === undefined)
    throw new Problem('secret-unresolved', `secret env:${name} is neither in ${file} nor in the environment of the worker`);
  return value;
}

function readIfThere(file: string, name: string): NodeJS.Dict<string> | null {
  try {
    return parseEnv(readFileSync(file, 'utf8'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw new Problem('secret-unresolved', `secret env:${name}: ${file} cannot be read`, { cause: error });
  }
}

function fromFile(path: string): string {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch (error) {
    throw new Problem('secret-unresolved', `secret file:${path} cannot be read`, { cause: error });
  }
}
