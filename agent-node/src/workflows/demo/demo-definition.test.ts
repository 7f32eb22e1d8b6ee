import { checkDefinition } from '@uncaged/protocol/moderator';
import { parseDefinitionFile } from '@uncaged/protocol/workflow';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { demoDefinition } from './demo-definition.js';

describe('the definition of demo', () => {
  it('passes the check that every workflow file has to pass, without a finding', () => {
    const { definition, findings } = parseDefinitionFile(parse(demoDefinition));
    expect(findings).toEqual([]);
    expect(definition).not.toBeNull();
    if (definition !== null) expect(checkDefinition(definition, { agents: [] })).toEqual([]);
  });
});
