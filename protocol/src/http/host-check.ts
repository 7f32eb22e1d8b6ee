import { Problem } from '../problem/index.js';

/** Names by which a machine calls itself; what resolves to another machine cannot bear them. */
const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);

/** Headers of a request that say where its client believes to be, as they came. */
export type RequestOrigin = {
  host: string | undefined;
  origin: string | undefined;
  /** Address of this machine that the connection was made to, as a socket tells it. */
  localAddress?: string | undefined;
};

/**
 * Refuses what a page of another site makes a browser send: a `Host` that is none of ours (DNS rebinding), an `Origin` that is
 * not the address the request was sent to. Clients that are no browsers send no `Origin`.
 *
 * A `Host` that is the very address which the connection was made to is ours: no name of another site can be behind it.
 * `hosts`: further names, without port, such as that of a public URL. `origins`: further origins
 * (`https://flow.example`), for a proxy in front that changes the scheme or the port. Throws forbidden.
 */
export function createHostCheck(
  hosts: readonly string[],
  origins: readonly string[],
): (request: RequestOrigin) => void {
  const knownHosts = new Set([...LOOPBACK, ...hosts.map((host) => host.toLowerCase())]);
  const knownOrigins = new Set(origins.map((origin) => origin.toLowerCase()));
  return ({ host, origin, localAddress }) => {
    const address = (host ?? '').toLowerCase();
    const name = withoutPort(address);
    if (!knownHosts.has(name) && name !== asHost(localAddress))
      throw new Problem(
        'forbidden',
        `The Host header ${quoted(host)} is not an address of this server; it may be reached as ${[...knownHosts].join(', ')}, by its own IP address, and by the name that it is told (a gateway: --public-url).`,
      );
    if (origin === undefined) return;
    const from = origin.toLowerCase();
    if (from === `http://${address}` || from === `https://${address}` || knownOrigins.has(from))
      return;
    throw new Problem(
      'forbidden',
      `The request comes from a page of ${quoted(origin)}, which is not this server; only its own pages may ask.`,
    );
  };
}

/** As it stands in a Host header: IPv6 in brackets, IPv4 also where a socket for both tells it as IPv6. */
function asHost(address: string | undefined): string | null {
  if (address === undefined) return null;
  const plain = address.toLowerCase().replace(/^::ffff:(?=\d+\.)/, '');
  return plain.includes(':') ? `[${plain}]` : plain;
}

function withoutPort(host: string): string {
  return host.replace(/:\d{1,5}$/, '');
}

function quoted(text: string | undefined): string {
  return text === undefined ? '(missing)' : JSON.stringify(text.slice(0, 100));
}
