import { Problem } from '@uncaged/protocol/problem';

/** Value of a reference (`env:NAME`, `file:path`), or null when there is none. */
export type ResolveSecret = (reference: string) => string | null | Promise<string | null>;

const REFERENCE = /^(env|file):./;

/**
 * Puts values in the place of references. `secrets` are the values that came from them, to be masked.
 * Throws secret-unresolved naming the variable and the reference.
 */
export async function resolveEnvironment(
  agent: string,
  env: Readonly<Record<string, string>>,
  resolveSecret: ResolveSecret,
): Promise<{ env: Record<string, string>; secrets: string[] }> {
  const resolved: Record<string, string> = {};
  const secrets: string[] = [];
  for (const [name, value] of Object.entries(env)) {
    if (!REFERENCE.test(value)) {
      resolved[name] = value;
      continue;
    }
    const secret = await resolveSecret(value);
    if (secret === null)
      throw new Problem(
        'secret-unresolved',
        `agent ${agent}: variable ${name} refers to ${value}, which has no value; set it in the env file of the storage root or in the environment`,
      );
    resolved[name] = secret;
    secrets.push(secret);
  }
  return { env: resolved, secrets };
}
