import { Problem } from '@uncaged/protocol/problem';

/** What to do about a certificate, by the code Node gives its error. */
const CERTIFICATE: Readonly<Record<string, string>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate comes from an authority this machine does not know',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    'its certificate comes from an authority this machine does not know, or the gateway does not send the certificates between',
  UNABLE_TO_GET_ISSUER_CERT: 'its certificate comes from an authority this machine does not know',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    'its certificate comes from an authority this machine does not know',
  CERT_UNTRUSTED: 'its certificate comes from an authority this machine does not trust',
};
const TRUST =
  'Set NODE_EXTRA_CA_CERTS to a file with the certificate of the authority (PEM) and start again';

/** The remaining failures of TLS. */
const TLS: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED:
    'its certificate has expired. Renew it on the gateway, or set the clock of this machine',
  CERT_NOT_YET_VALID: 'its certificate is not valid yet. Set the clock of this machine',
  ERR_TLS_CERT_ALTNAME_INVALID:
    'its certificate is for another host. Use a host name that the certificate has',
  ERR_SSL_WRONG_VERSION_NUMBER: 'it does not speak TLS on this port. Is it an http:// gateway?',
};

const NETWORK: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ECONNRESET: 'the connection was cut',
  ENOTFOUND: 'its host name is not known',
  EAI_AGAIN: 'its host name cannot be looked up now',
  ETIMEDOUT: 'it does not answer',
  EHOSTUNREACH: 'there is no way to it',
  ENETUNREACH: 'there is no way to it',
};

/** Why a gateway cannot be reached and what to do, from the error of its socket. `where` is for people. */
export function dialProblem(error: unknown, where: string): Problem {
  const { code, message } = innermost(error);
  const why =
    (CERTIFICATE[code] === undefined ? undefined : `${CERTIFICATE[code]}. ${TRUST}`) ??
    TLS[code] ??
    (NETWORK[code] === undefined ? undefined : `${NETWORK[code]} (${code})`) ??
    (message || code);
  return new Problem('unreachable', `The gateway at ${where} cannot be reached: ${why}.`, {
    cause: error,
  });
}

/** Node wraps the failures of several addresses into one without a message. */
function innermost(error: unknown): { code: string; message: string } {
  if (error instanceof AggregateError && error.errors.length > 0) return innermost(error.errors[0]);
  if (!(error instanceof Error)) return { code: '', message: String(error) };
  const { code = '' } = error as NodeJS.ErrnoException;
  const isPlain = code === 'EPROTO' && error.message.includes('wrong version number');
  return { code: isPlain ? 'ERR_SSL_WRONG_VERSION_NUMBER' : code, message: error.message };
}
