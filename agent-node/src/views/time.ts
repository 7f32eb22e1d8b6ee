// The same form as protocol/api has; imported it would cost every list of the command line the schemas of the whole API.
export const toTime = (ms: number) => new Date(ms).toISOString();
export const toTimeOrNull = (ms: number | null) => (ms === null ? null : toTime(ms));
