import { describe, expect, it } from 'vitest';
import { orderRefusal, ordersFor } from './orders.js';

const standing = {
  status: 'running',
  desired: 'run',
  retryable: false,
  imported: false,
} as const;

describe('orders', () => {
  it('are offered where they make sense, and then nothing refuses them', () => {
    const statuses = ['queued', 'running', 'paused', 'waiting', 'interrupted'] as const;
    for (const status of statuses)
      for (const order of ordersFor({ ...standing, status }))
        expect(orderRefusal(order, { ...standing, status })).toBeNull();
  });

  it('are not given twice', () => {
    expect(orderRefusal('pause', { ...standing, desired: 'pause' })).toMatch(/step in flight/);
    expect(orderRefusal('kill', { ...standing, desired: 'kill' })).toMatch(/being ended/);
  });

  it('retry what can be tried again, and say why the rest cannot', () => {
    const failed = { ...standing, status: 'failed' } as const;
    expect(orderRefusal('retry', { ...failed, retryable: true })).toBeNull();
    expect(orderRefusal('retry', failed)).toMatch(/came to its end/);
  });

  it('end nothing that is over', () => {
    expect(orderRefusal('kill', { ...standing, status: 'completed' })).toBe(
      'It is over: completed.',
    );
    expect(ordersFor({ ...standing, status: 'completed' })).toEqual([]);
  });
});
