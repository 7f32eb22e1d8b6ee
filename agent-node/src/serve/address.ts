import { isIPv6 } from 'node:net';
import { hostname, networkInterfaces } from 'node:os';

const WILDCARDS = new Set(['0.0.0.0', '::']);
const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|::1)$/i;

export function isLoopback(host: string): boolean {
  return LOOPBACK.test(host);
}

/** `127.0.0.1:4810`, `[::1]:4810`. */
export function addressText(host: string, port: number): string {
  return `${bracketed(host)}:${port}`;
}

/** Where to reach it from this machine. */
export function localUrl(host: string, port: number): string {
  const local = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  return `http://${addressText(local, port)}`;
}

/** By which names, as they stand in a Host header, a server on this address may be reached. */
export function hostNames(host: string): string[] {
  if (!WILDCARDS.has(host)) return [bracketed(host)];
  const addresses = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  return [hostname(), host, ...addresses.map(({ address }) => address)].map(bracketed);
}

function bracketed(host: string): string {
  return isIPv6(host) ? `[${host}]` : host;
}
