import type { ThreadSummary } from '@uncaged/protocol/api';

/** All tokens, whatever they were for. */
export function tokensOf({ input, cacheRead, cacheWrite, output }: ThreadSummary['usage']): number {
  return input + cacheRead + cacheWrite + output;
}

/** For a title: what the sum is made of. */
export function tokensInWords({
  input,
  cacheRead,
  cacheWrite,
  output,
}: ThreadSummary['usage']): string {
  const say = (count: number, what: string) => `${count.toLocaleString('en-US')} ${what}`;
  return [
    say(input, 'input'),
    say(cacheRead, 'read from cache'),
    say(cacheWrite, 'written to cache'),
    say(output, 'output'),
  ].join(', ');
}
