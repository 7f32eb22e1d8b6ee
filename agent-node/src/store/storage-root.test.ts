import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { storageRoot } from './storage-root.js';

describe('the storage root', () => {
  it('is what the variables say, the longer name first; empty is unset', () => {
    const env = { UNCAGED_WORKFLOW_STORAGE_ROOT: '/a', WORKFLOW_STORAGE_ROOT: '/b', HOME: '/h' };
    expect(storageRoot(env)).toBe('/a');
    expect(storageRoot({ ...env, UNCAGED_WORKFLOW_STORAGE_ROOT: '' })).toBe('/b');
    expect(storageRoot({ WORKFLOW_STORAGE_ROOT: 'relative' })).toBe(resolve('relative'));
  });

  it('is in the home directory otherwise, which the system knows without HOME', () => {
    expect(storageRoot({ HOME: '/h' })).toBe(join('/h', '.uncaged', 'workflow'));
    expect(storageRoot({}, () => '/from/passwd')).toBe('/from/passwd/.uncaged/workflow');
    expect(storageRoot({ HOME: '' })).toMatch(/^\/.+\/\.uncaged\/workflow$/);
  });

  it('is a problem only when there is no home at all', () => {
    const none = (): string => {
      throw new Error('ENOENT: no such user');
    };
    for (const lookup of [none, () => '']) {
      expect(() => storageRoot({}, lookup)).toThrow(
        expect.objectContaining({
          code: 'store-unavailable',
          message: expect.stringContaining('UNCAGED_WORKFLOW_STORAGE_ROOT'),
        }),
      );
    }
  });
});
