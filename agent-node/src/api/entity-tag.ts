import type { Hash } from '@uncaged/protocol/ids';

const NOT_MODIFIED = 304;

/** What has a hash for its address never changes, so the hash is its tag. */
export function entityTag(hash: Hash): string {
  return `"${hash}"`;
}

/** Whether the client has it already. */
export function isFresh(hash: Hash, ifNoneMatch: string | undefined): boolean {
  if (ifNoneMatch === undefined) return false;
  const tags = ifNoneMatch.split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  return tags.includes('*') || tags.includes(entityTag(hash));
}

export function notModified(hash: Hash): Response {
  return new Response(null, {
    status: NOT_MODIFIED,
    headers: { etag: entityTag(hash), 'cache-control': 'private, no-cache' },
  });
}
