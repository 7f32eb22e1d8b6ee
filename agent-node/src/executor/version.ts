/** Version of this node, as its package says; workers of older versions block migrations. */
export const VERSION = '0.1.0';
