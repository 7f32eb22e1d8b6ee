import { getProxyForUrl } from 'proxy-from-env';

const LOOPBACK = /^(localhost|.+\.localhost|127(\.\d+){3}|\[::1\])$/;

/** Whether a host, as URLs have it, is this machine whatever the network says. */
export function isLoopback(hostname: string): boolean {
  return LOOPBACK.test(hostname);
}

/**
 * The proxy for an http(s) URL by HTTPS_PROXY, HTTP_PROXY, ALL_PROXY and NO_PROXY of the process, in either case; '' for none.
 * Never one for this machine: what a proxy calls so is itself.
 */
export function proxyOf(url: string): string {
  return isLoopback(new URL(url).hostname) ? '' : getProxyForUrl(url);
}
