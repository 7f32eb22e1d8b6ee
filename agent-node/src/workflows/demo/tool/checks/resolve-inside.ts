/**
 * Resolves a relative path against a directory of the repository by its text alone. Returns the key below the top
 * (empty = the top itself), or null when it leads out of the repository.
 */
export function resolveInside(directory: string, target: string): string | null {
  const parts = directory === '' ? [] : directory.split('/');
  for (const part of target.split('/')) {
    if (part === '' || part === '.') continue;
    if (part !== '..') parts.push(part);
    else if (parts.pop() === undefined) return null;
  }
  return parts.join('/');
}
