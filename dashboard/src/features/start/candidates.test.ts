import { describe, expect, it } from 'vitest';
import { candidatesOf, labelsOf } from './candidates.js';

const machine = (
  name: string,
  labels: Record<string, string> = {},
  more: { state?: 'online' | 'offline'; allow?: ('read' | 'run')[] } = {},
) => ({
  name,
  labels,
  state: 'online' as const,
  allow: ['read' as const, 'run' as const],
  ...more,
});

const machines = [
  machine('a', { os: 'linux', gpu: 'a100' }),
  machine('b', { os: 'mac' }),
  machine('c', { os: 'linux' }, { state: 'offline' }),
  machine('d', { os: 'bsd' }, { allow: ['read'] }),
];
const names = (node: string, labels = {}) =>
  candidatesOf(machines, node, labels).map(({ name }) => name);

describe('where a start may go', () => {
  it('is any node that is there and lets threads be started', () => {
    expect(names('')).toEqual(['a', 'b']);
  });

  it('is the chosen one, whatever labels were chosen before', () => {
    expect(names('b', { os: 'linux' })).toEqual(['b']);
    expect(names('c')).toEqual([]);
  });

  it('is narrowed by labels, all of which must be there', () => {
    expect(names('', { os: 'linux' })).toEqual(['a']);
    expect(names('', { os: 'mac', gpu: 'a100' })).toEqual([]);
    expect(names('', { constructor: 'x' })).toEqual([]);
  });

  it('is told by labels of such nodes only', () => {
    expect(labelsOf(machines).map(({ name, value }) => `${name}=${value}`)).toEqual([
      'gpu=a100',
      'os=linux',
      'os=mac',
    ]);
  });
});
