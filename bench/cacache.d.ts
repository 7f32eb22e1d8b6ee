// cacache brings no types; this is what the bench uses of it.
declare module 'cacache' {
  const cacache: {
    put: (folder: string, key: string, data: string | Uint8Array) => Promise<unknown>;
    get: (folder: string, key: string) => Promise<{ data: Buffer }>;
  };
  export = cacache;
}
