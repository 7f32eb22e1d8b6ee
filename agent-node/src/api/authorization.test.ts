import { PRINCIPAL_HEADER } from '@uncaged/protocol/http';
import { describe, expect, it } from 'vitest';
import { authorizePrincipal } from './authorization.js';

const ask = (principal: string | null) =>
  authorizePrincipal(['read'])(
    new Request(
      'http://node/',
      principal === null ? {} : { headers: { [PRINCIPAL_HEADER]: principal } },
    ),
  );

describe('who asks over the link', () => {
  it('is what the gateway says, and may what this node says', () => {
    expect(ask('viewer vic')).toEqual({ role: 'viewer', name: 'vic', allow: ['read'] });
    expect(ask('operator J%C3%B6rg%20K')).toMatchObject({ role: 'operator', name: 'Jörg K' });
  });

  it.each([
    null,
    '',
    'operator',
    'operator ',
    'admin x',
    'operator a b',
    'operator %',
    'node n',
    'operator %ff',
  ])('is nobody when it says %j', (principal) => {
    expect(() => ask(principal)).toThrow(expect.objectContaining({ code: 'unauthorized' }));
  });
});
