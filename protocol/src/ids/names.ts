import { z } from 'zod';

/** Workflow names: lower-case kebab. */
export const workflowNameSchema = z
  .string()
  .max(63, 'must be at most 63 characters')
  .regex(/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/, 'must be lower-case words joined by "-"');

const NAME_FORM = 'must begin with a letter; then letters, digits, "_" and "-", 63 at most';

export const roleNameSchema = z.string().regex(/^[A-Za-z][A-Za-z0-9_-]{0,62}$/, NAME_FORM);

export const agentNameSchema = z.string().regex(/^[A-Za-z][A-Za-z0-9_-]{0,62}$/, NAME_FORM);

/** As HELLO of a link takes. */
const LABELS_MAX = 64;

/** Sentinels of a graph, as everything but a YAML or JSON file says them. */
export const START = '__start__';
export const END = '__end__';
/** Role of the marker state that a fork writes at its branch point; skipped by every reader. */
export const FORK = '__fork__';

/** Names of nodes: usable as a host name. */
export const nodeNameSchema = z.string().regex(/^[a-z0-9][a-z0-9-]{0,62}$/);

/** Names of tokens' holders, for people and logs; a node's token has the name of its node. */
export const principalNameSchema = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._@-]{0,62}$/);

/** What nodes are chosen by: `os=linux`. */
export const labelsSchema = z
  .record(
    z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._/-]{0,62}$/),
    z.string().regex(/^[A-Za-z0-9._/-]{0,63}$/),
  )
  .refine((labels) => Object.keys(labels).length <= LABELS_MAX, `at most ${LABELS_MAX} labels`);
