/** A line of the gateway's log; the tag (8 Crockford characters, one per call site) leads to the place in the code. */
export type Log = (tag: string, text: string) => void;
