import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Allow } from '../../link/index.js';
import type { Route } from '../route.js';
import { gatewayRoutes } from './gateway.js';
import { routes } from './routes.js';

const node = Object.entries(routes) as [string, Route][];
const gateway = Object.entries(gatewayRoutes) as [string, Route<Allow | null>][];
const table = [...node, ...gateway];

describe('the route table', () => {
  it('has each address once', () => {
    for (const part of [node, gateway]) {
      const addresses = part.map(([, { method, path }]) => `${method} ${path}`);
      expect(new Set(addresses).size).toBe(addresses.length);
    }
  });

  it.each(table)('describes every parameter of %s', (_, { path, params }) => {
    const names = [...path.matchAll(/:(\w+)/g)].map(([, name]) => name);
    expect(Object.keys(params?.shape ?? {})).toEqual(names);
  });

  it.each(table)('lets only what reads be asked without changing anything: %s', (_, route) => {
    // The one GET that is not for viewers: who did what.
    if (route.method === 'GET')
      expect(route.allow).toBe(route.path === '/api/audit' ? 'control' : 'read');
    if (route.method === 'DELETE') expect(route.allow).not.toBe('read');
    expect(route.body === null || route.method === 'POST').toBe(true);
  });

  it.each(table)('can be said in JSON Schema: %s', (_, { body, response }) => {
    for (const schema of [response.schema, ...(body === null ? [] : [body.schema])])
      expect(z.toJSONSchema(schema, { io: 'input' })).toBeTypeOf('object');
  });

  it('gives a start its defaults', () => {
    expect(routes.startThread.body.schema.parse({ workflow: 'demo' })).toEqual({
      workflow: 'demo',
      prompt: '',
      inputs: null,
      workspace: null,
      agents: {},
      maxSteps: null,
      maxVisits: null,
      budget: null,
    });
    expect(routes.listThreads.query.parse({})).toEqual({ limit: 50 });
  });
});
