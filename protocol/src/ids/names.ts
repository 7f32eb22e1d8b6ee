import { z } from 'zod';

/** Workflow names: lower-case kebab. */
export const workflowNameSchema = z
  .string()
  .max(63)
  .regex(/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/);

export const roleNameSchema = z.string().regex(/^[A-Za-z][A-Za-z0-9_-]{0,62}$/);

export const agentNameSchema = z.string().regex(/^[A-Za-z][A-Za-z0-9_-]{0,62}$/);

/** Sentinels of a graph, as everything but a YAML or JSON file says them. */
export const START = '__start__';
export const END = '__end__';
/** Role of the marker state that a fork writes at its branch point; skipped by every reader. */
export const FORK = '__fork__';
