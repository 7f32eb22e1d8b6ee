/** Exit codes of `uwf`, by the HTTP status of the problem. */
const BY_STATUS: ReadonlyMap<number, number> = new Map([
  [400, 2],
  [413, 2],
  [415, 2],
  [416, 2],
  [422, 2],
  [404, 3],
  [409, 4],
  [401, 5],
  [403, 5],
  [429, 6],
  [502, 6],
  [503, 6],
  [504, 6],
]);

export function exitCodeOfStatus(status: number): number {
  return BY_STATUS.get(status) ?? 1;
}
