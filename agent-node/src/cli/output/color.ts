export type Colors = {
  enabled: boolean;
  bold: (text: string) => string;
  dim: (text: string) => string;
  red: (text: string) => string;
  green: (text: string) => string;
  yellow: (text: string) => string;
  cyan: (text: string) => string;
  /** Names of roles: bold cyan. */
  role: (text: string) => string;
  /** Debug records: dim bright-black. */
  debug: (text: string) => string;
};

/** Colour only for a person: stdout is a terminal and NO_COLOR is not defined (any value counts, even an empty one). */
export function wantsColor(
  stream: { isTTY?: boolean },
  env: Readonly<Record<string, string | undefined>>,
): boolean {
  return stream.isTTY === true && env.NO_COLOR === undefined && env.TERM !== 'dumb';
}

export function createColors(enabled: boolean): Colors {
  const sgr = (open: string) => (text: string) =>
    enabled && text !== '' ? `\u001b[${open}m${text}\u001b[0m` : text;
  return {
    enabled,
    bold: sgr('1'),
    dim: sgr('2'),
    red: sgr('31'),
    green: sgr('32'),
    yellow: sgr('33'),
    cyan: sgr('36'),
    role: sgr('1;36'),
    debug: sgr('2;90'),
  };
}
