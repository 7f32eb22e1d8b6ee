/** Whether a call of the system failed for want of room, or of a user's share of it. */
export function isDiskFull(error: unknown): error is NodeJS.ErrnoException {
  const code = error instanceof Error && 'code' in error ? error.code : null;
  return code === 'ENOSPC' || code === 'EDQUOT';
}
