import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Absolute path of the repository. */
export const repository = fileURLToPath(new URL('..', import.meta.url)).replace(/[/\\]$/, '');

/** Where the built programs are; each is one file that Node runs as it is. */
export const programs = join(repository, 'agent-node', 'dist', 'bin');

/** The command people type; a launcher for the built `uwf`. */
export const uwf = join(repository, 'agent-node', 'bin', 'uwf.js');
