/** `workflow.yaml`, bytes: some 100,000 versions; more is not a registry, and the parser would take seconds. */
export const REGISTRY_MAX_BYTES = 16 * 1024 * 1024;

/** How long an edit waits for another one, ms. An edit takes a few ms, so 10 s means a stopped process holds the lock. */
export const REGISTRY_LOCK_WAIT_MS = 10_000;

/** Between two tries for the lock, ms: well under what a person notices. */
export const REGISTRY_LOCK_RETRY_MS = 15;

/** An edit starts again when somebody without the lock (an editor) changed the file meanwhile; so often at most. */
export const REGISTRY_EDIT_TRIES = 5;

/** Nodes of a YAML file after its aliases are followed: an alias bomb passes it, no real file does. */
export const YAML_EXPANDED_MAX_NODES = 200_000;

/** Findings of one file that are worth reading; the rest is counted. */
export const FINDINGS_SHOWN_MAX = 20;

/** Characters of a value quoted in an error text. */
export const QUOTED_MAX_CHARACTERS = 40;

/** Names proposed for a misspelt one. */
export const NEAR_NAMES_MAX = 3;

/** Nested workflows below the first, unless `config.maxDepth` says otherwise: agents that call themselves stop early. */
export const MAX_DEPTH_DEFAULT = 3;

/** Threads of a node that run at once, unless `config.concurrency.node` says otherwise. */
export const CONCURRENCY_NODE_DEFAULT = 50;

/** A name that is part of another counts as near it from here on: shorter ones are part of too many. */
export const PART_MIN_CHARACTERS = 3;

/** A file changed so lately may change again and look the same, ms: some file systems count time in steps of 10 ms, and clocks differ a little. */
export const REGISTRY_SETTLED_MS = 100;
