import { LOGGED_TEXT_MAX } from './limits.js';

/** Text of others for a line of the log: cut short, and on one line. */
export function quoted(text: string): string {
  return JSON.stringify(text.slice(0, LOGGED_TEXT_MAX));
}
