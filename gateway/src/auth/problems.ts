import { Problem } from '@uncaged/protocol/problem';

/** What people read when they were not let in. None of these says anything of the secret that was shown. */
export function nothingShown(): Problem {
  return new Problem(
    'unauthorized',
    'The request does not say who asks. Log in, or send `Authorization: Bearer <token>`; the operator of the gateway makes tokens with `uwf-gateway token`.',
  );
}

export function wrongToken(): Problem {
  return new Problem(
    'unauthorized',
    'This is not a token of this gateway, or its key was changed since. Ask the operator of the gateway for a new one (`uwf-gateway token`).',
  );
}

export function malformed(what: string): Problem {
  return new Problem(
    'unauthorized',
    `The Authorization header ${what}. Send it once, as \`Authorization: Bearer <token>\`.`,
  );
}

export function expired(expiresAt: number): Problem {
  return new Problem(
    'unauthorized',
    `The token expired at ${new Date(expiresAt).toISOString()}. Ask the operator of the gateway for a new one (\`uwf-gateway token\`).`,
  );
}

export function sessionGone(): Problem {
  return new Problem('unauthorized', 'The session is not valid (any more). Log in again.');
}

export function sessionExpired(): Problem {
  return new Problem('unauthorized', 'The session has expired. Log in again.');
}

export function revoked(): Problem {
  return new Problem(
    'token-revoked',
    'The token was revoked. Ask the operator of the gateway for a new one (`uwf-gateway token`).',
  );
}
