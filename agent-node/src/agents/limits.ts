/** One argument of a program, bytes: Linux allows 128 KiB with its end, macOS 1 MiB for all together with the environment. */
export const ARGUMENT_MAX_BYTES = 96 * 1024;

/** End of stderr that is kept to be quoted when a program fails, bytes. */
export const NOISE_TAIL_BYTES = 16 * 1024;

/** Lines of it that are quoted. */
export const NOISE_QUOTE_LINES = 10;

/** Characters of one quoted line: progress bars and dumps are long. */
export const NOISE_QUOTE_LINE_CHARS = 500;

/** Added to a signal's number it is the exit code that shells give a process which a signal ended. */
export const SIGNAL_EXIT_BASE = 128;
