import { isIPv6 } from 'node:net';
import { ADDRESS_MAX_CHARACTERS } from './limits.js';
import type { Address } from './types.js';

const GROUPS = 8;
/** An IPv4 address in an IPv6 one: two of its bytes in a group. */
const BYTE_VALUES = 256;
/** A household or a rented machine has a /64 at least: whoever can take one of its addresses can take all. */
const GROUPS_OF_NETWORK = 4;
const MAPPED_V4 = /^(?:0:){5}ffff:([0-9a-f]+):([0-9a-f]+)$/;
const DOTTED = /(\d+)\.(\d+)\.(\d+)\.(\d+)$/;

/** Whom wrong secrets are counted for: an IPv4 address, the /64 of an IPv6 one, else the text as it is. */
export function groupOf(address: Address): string {
  const [text = ''] = address.split('%', 1);
  if (!isIPv6(text)) return address.slice(0, ADDRESS_MAX_CHARACTERS);
  const groups = expand(text);
  const mapped = MAPPED_V4.exec(groups.join(':'));
  if (mapped !== null) return [...bytesOf(mapped[1]!), ...bytesOf(mapped[2]!)].join('.');
  return `${groups.slice(0, GROUPS_OF_NETWORK).join(':')}::/64`;
}

/** The eight groups of a valid IPv6 address, each in its shortest form. */
function expand(address: string): string[] {
  const text = address.replace(DOTTED, (_, a, b, c, d) => `${joined(a, b)}:${joined(c, d)}`);
  const [head = '', tail] = text.split('::');
  const first = head === '' ? [] : head.split(':');
  const last = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = new Array<string>(GROUPS - first.length - last.length).fill('0');
  return [...first, ...zeros, ...last].map((group) => Number.parseInt(group, 16).toString(16));
}

function joined(high: string, low: string): string {
  return (Number(high) * BYTE_VALUES + Number(low)).toString(16);
}

function bytesOf(group: string): [number, number] {
  const value = Number.parseInt(group, 16);
  return [Math.floor(value / BYTE_VALUES), value % BYTE_VALUES];
}
