import { describe, expect, it } from 'vitest';
import { dialProblem } from './dial-problem.js';

const failure = (code: string, message = 'x') => Object.assign(new Error(message), { code });

describe('why a gateway cannot be reached', () => {
  it.each([
    ['SELF_SIGNED_CERT_IN_CHAIN', 'NODE_EXTRA_CA_CERTS'],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'NODE_EXTRA_CA_CERTS'],
    ['CERT_HAS_EXPIRED', 'has expired'],
    ['CERT_NOT_YET_VALID', 'clock of this machine'],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'for another host'],
    ['ENOTFOUND', 'host name is not known (ENOTFOUND)'],
    ['EAI_AGAIN', 'EAI_AGAIN'],
    ['EWHATEVER', 'the words of the system'],
  ])('tells of %s what it is and what to do', (code, text) => {
    const problem = dialProblem(failure(code, 'the words of the system'), 'https://a.test');
    expect(problem).toMatchObject({ code: 'unreachable', retryable: true });
    expect(problem.message).toContain('https://a.test');
    expect(problem.message).toContain(text);
  });

  it('looks into the error of several addresses, which has no message', () => {
    const several = new AggregateError([failure('ECONNREFUSED'), failure('ENETUNREACH')]);
    expect(dialProblem(several, 'x').message).toContain('nothing listens there (ECONNREFUSED)');
  });
});
