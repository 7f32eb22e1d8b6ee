const KEY_BYTES = 16;

/** An Idempotency-Key: asked again with it, the same is not done twice. `crypto.randomUUID` is only there on secure addresses. */
export function newRequestKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(KEY_BYTES));
  return `page-${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}
