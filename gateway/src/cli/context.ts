export type Environment = Readonly<Record<string, string | undefined>>;

/** As much of a writable stream as commands need. */
export type OutputStream = {
  write: (text: string) => unknown;
  isTTY?: boolean;
};

/** What one run of the program was given. */
export type CliContext = {
  env: Environment;
  stdout: OutputStream;
  stderr: OutputStream;
};
