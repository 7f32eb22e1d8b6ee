/** Version of this node, as its package says; a worker's row has the version that it runs. */
export const VERSION = '0.1.0';
