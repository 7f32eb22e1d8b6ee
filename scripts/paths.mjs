import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Absolute path of the repository. */
export const repository = fileURLToPath(new URL('..', import.meta.url)).replace(/[/\\]$/, '');

/** Where the built programs of a package are; each is one file that Node runs as it is. */
export const programsOf = (name) => join(repository, name, 'dist', 'bin');

/** The command people type; a launcher for the built `uwf`. */
export const uwf = join(repository, 'agent-node', 'bin', 'uwf.js');

/** The same for `uwf-gateway`. */
export const uwfGateway = join(repository, 'gateway', 'bin', 'uwf-gateway.js');
