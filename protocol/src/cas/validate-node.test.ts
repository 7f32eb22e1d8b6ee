import { describe, expect, it } from 'vitest';
import { createNode, type NodeType, payloadSchemas, validateNode } from './index.js';
import { samplePayloads } from './samples.test-data.js';

const types = Object.keys(payloadSchemas) as NodeType[];
const A = '8JY2SXDDEW4SJ';

describe('validateNode', () => {
  it.each(types)('takes a node of type %s, with its refs or without', (type) => {
    const node = createNode(type, samplePayloads[type]);
    expect(validateNode(structuredClone(node))).toEqual(node);
    expect(validateNode({ type, payload: samplePayloads[type] })).toEqual(node);
  });

  it('takes a ref that a meta holds', () => {
    const payload = { ...samplePayloads.state, meta: { plan: { at: ['EN34XX1W4WAFJ'] } } };
    const node = createNode('state', payload, ['EN34XX1W4WAFJ']);
    expect(validateNode(node)).toEqual(node);
  });

  it('takes a meta as deep as createNode does', () => {
    let meta: Record<string, unknown> = {};
    for (let level = 1; level < 256; level += 1) meta = { meta };
    const node = createNode('state', { ...samplePayloads.state, meta });
    expect(validateNode(node)).toEqual(node);
  });

  it.each([
    ['text', 'x', 'object'],
    ['an unknown type', { type: 'constructor', payload: {} }, 'type must be one of'],
    ['a missing field', { type: 'content', payload: {} }, 'payload.text'],
    ['an unknown field', { type: 'content', payload: { text: '', a: 1 } }, 'payload'],
    ['another key', { type: 'content', payload: { text: '' }, hash: A }, 'hash'],
    ['refs of nothing', { type: 'content', payload: { text: A }, refs: [A] }, 'does not hold'],
    [
      'refs that are not hashes',
      { type: 'content', payload: { text: '' }, refs: ['../x'] },
      'hashes',
    ],
    ['missing refs', { type: 'parts', payload: { size: 1, parts: [A] }, refs: [] }, 'refs must be'],
    [
      'doubled refs',
      { type: 'parts', payload: { size: 1, parts: [A] }, refs: [A, A] },
      'refs must be',
    ],
  ])('refuses %s and says why', (_name, value, why) => {
    expect(() => validateNode(value)).toThrow(why);
  });
});
