import type { ReactNode } from 'react';

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];

/** What to do where no node has connected yet: how a first one is. */
export function FirstNode() {
  return (
    <div className="flex max-w-2xl flex-col gap-3 text-sm">
      <p>
        No node has connected to this gateway yet. The gateway shows and steers; the work is done by
        nodes, the machines that connect to it.
      </p>
      <ol className="flex list-decimal flex-col gap-3 pl-5">
        <li>
          Where the gateway runs, make a token for the machine (with <code>--data</code>, if the
          gateway was started with it):
          <Command>
            {'umask 077\nuwf-gateway token --role node --name build-1 > build-1.token'}
          </Command>
        </li>
        <li>
          On the machine, with that file:
          <Command>{connectCommand(location)}</Command>
        </li>
      </ol>
      <p className="text-muted">
        It appears here by itself as soon as it is connected. Then “Start” runs a workflow on it;{' '}
        <code>demo</code> is on every node.
      </p>
    </div>
  );
}

/** A node tells its token over plain HTTP to another machine only when it is told to. */
function connectCommand({ origin, protocol, hostname }: Location): string {
  const isPlain = protocol === 'http:' && !LOOPBACK.includes(hostname);
  return [
    `uwf connect --gateway ${origin} \\`,
    `  --name build-1 --token-file build-1.token${isPlain ? ' --insecure' : ''}`,
  ].join('\n');
}

function Command({ children }: { children: ReactNode }) {
  return (
    <pre className="mt-1 rounded border bg-sunken px-3 py-2 font-mono text-xs wrap-anywhere whitespace-pre-wrap">
      {children}
    </pre>
  );
}
