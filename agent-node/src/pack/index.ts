export { PACK_EXTENSION, PACK_VERSION, SHA256_BYTES } from './format.js';
export { type Imported, type ImportOptions, importPack } from './import-pack.js';
export { type PackItem, readPack } from './read-pack.js';
export type { PackStepRow, PackThread, PackThreadRow } from './rows.js';
export { type PackReport, packFile, verifyPack } from './verify-pack.js';
export { writePack } from './write-pack.js';
