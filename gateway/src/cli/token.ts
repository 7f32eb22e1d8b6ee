import { access } from 'node:fs/promises';
import { Problem } from '@uncaged/protocol/problem';
import type { Command } from 'commander';
import { issueToken, KEY_VARIABLE, loadKey, ROLES, type Role, revokeToken } from '../auth/index.js';
import type { CliContext } from './context.js';
import { LIFETIME_DEFAULT, parseLifetime } from './lifetime.js';
import { dataDirectory } from './start.js';

type TokenOptions = {
  role?: string;
  name?: string;
  expires?: string;
  revoke?: string;
  data?: string;
  json?: boolean;
};

/**
 * `uwf-gateway token`: makes a token, or revokes one. Tokens are stored nowhere, so there is no list of them. The action throws
 * invalid-argument and what `loadKey` and `revokeToken` throw.
 */
export function registerToken(
  program: Command,
  context: CliContext,
  outcome: { exitCode: number },
): void {
  program
    .command('token')
    .description('make a token for a node or a person, or revoke one')
    .allowExcessArguments(false)
    .option('--role <role>', `what it may do: ${ROLES.join(', ')}`)
    .option('--name <name>', 'whose it is; for a node the name that the node may use')
    .option('--expires <time>', `90s, 10m, 2h, 90d or never (default: ${LIFETIME_DEFAULT})`)
    .option('--revoke <token>', 'revoke this token, given itself or its id')
    .option('--data <dir>', 'directory of the gateway (default: ~/.uncaged/gateway)')
    .option('--json', 'print the result as JSON')
    .addHelpText(
      'after',
      `
The token alone goes to stdout: umask 077; uwf-gateway token --role node --name build-1 > build-1.token
A running gateway notices a revocation within a second.`,
    )
    .action(async (options: TokenOptions) => {
      await (options.revoke === undefined
        ? make(options, context)
        : revoke(options.revoke, options, context));
      outcome.exitCode = 0;
    });
}

async function make(options: TokenOptions, context: CliContext): Promise<void> {
  const { env, stdout, stderr } = context;
  const role = checkRole(options.role);
  const name = options.name;
  if (name === undefined)
    throw new Problem(
      'invalid-argument',
      `Say with --name ${role === 'node' ? 'which node may use it' : 'whose token it is'}.`,
    );
  const lifetimeMs = parseLifetime(options.expires ?? LIFETIME_DEFAULT);
  const dataDir = dataDirectory(options.data);
  // A key made where no gateway looks signs tokens that are good nowhere.
  if (!env[KEY_VARIABLE]) await checkIsThere(dataDir);
  const key = await loadKey({ dataDir, env });
  const { token, id, expiresAt } = await issueToken({
    key,
    role,
    name,
    lifetimeMs,
    clock: Date.now,
  });
  const expires = expiresAt === null ? null : new Date(expiresAt).toISOString();
  if (options.json === true) {
    stdout.write(`${JSON.stringify({ token, id, role, name, expiresAt: expires })}\n`);
    return;
  }
  stdout.write(`${token}\n`);
  stderr.write(
    `${expires === null ? 'It does not expire' : `It expires at ${expires}`}. To revoke it: uwf-gateway token --revoke ${id}\n`,
  );
}

async function revoke(
  tokenOrId: string,
  options: TokenOptions,
  { env, stdout }: CliContext,
): Promise<void> {
  for (const other of ['role', 'name', 'expires'] as const)
    if (options[other] !== undefined)
      throw new Problem(
        'invalid-argument',
        `--revoke takes a token back, --${other} is for making one: use one of them.`,
      );
  const dataDir = dataDirectory(options.data);
  await checkIsThere(dataDir);
  const key = await loadKey({ dataDir, env });
  const { id } = await revokeToken({ dataDir, key, tokenOrId: tokenOrId.trim(), clock: Date.now });
  stdout.write(options.json === true ? `${JSON.stringify({ revoked: id })}\n` : `revoked ${id}\n`);
}

/** A revocation that is written where no gateway looks would leave the token good. */
async function checkIsThere(dataDir: string): Promise<void> {
  try {
    await access(dataDir);
  } catch (error) {
    throw new Problem(
      'invalid-argument',
      `No gateway has its data in ${dataDir}; name its directory with --data, or start it once first.`,
      { cause: error },
    );
  }
}

function checkRole(role: string | undefined): Role {
  const known = ROLES.find((one) => one === role);
  if (known !== undefined) return known;
  throw new Problem(
    'invalid-argument',
    `${role === undefined ? 'Say with --role what the token may do' : `--role ${JSON.stringify(role)} does not exist`}: node (may connect), viewer (may look), operator (may change things too).`,
  );
}
