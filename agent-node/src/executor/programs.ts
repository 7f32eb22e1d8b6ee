import { fileURLToPath } from 'node:url';

/** Built programs lie side by side in one folder, with every chunk they share: this module is in one of them. */
const here = import.meta.url;

export const workerFile = fileURLToPath(new URL('./worker.js', here));
export const renewalFile = new URL('./renewal.js', here);
/** Helper programs of the built-in workflows; scripts find the folder in UWF_BUILTINS. */
export const builtinsDirectory = fileURLToPath(new URL('./builtins', here));

/**
 * Options of node for a worker. It mostly waits for agents: with a young generation of 4 MiB instead of 16 it holds about
 * 20 MB less for the same work, and is no slower.
 */
export const workerNodeOptions: readonly string[] = ['--max-semi-space-size=4'];
