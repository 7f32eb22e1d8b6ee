import { expect, it } from 'vitest';
import { sampleMachine } from '../live/sample.test-data.js';
import { refusalOf } from './refusal.js';

const operator = { role: 'operator', name: 'ann', expiresAt: null } as const;
const viewer = { role: 'viewer', name: 'vera', expiresAt: null } as const;

it('lets an operator do on a node that is there what the node allows', () => {
  expect(refusalOf(operator, sampleMachine('build-1'), 'run')).toBeNull();
  expect(refusalOf(operator, null, 'run')).toBeNull();
});

it('says to a viewer, about a node that is away, and about one that forbids it, why not', () => {
  expect(refusalOf(viewer, null, 'control')).toMatch(/viewer \(vera\)/);
  expect(refusalOf(operator, sampleMachine('build-1', 'offline'), 'run')).toMatch(/not connected/);
  const strict = { ...sampleMachine('build-1'), allow: ['read' as const] };
  expect(refusalOf(operator, strict, 'publish')).toMatch(/--allow has no "publish"/);
});
