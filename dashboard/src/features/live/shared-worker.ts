import { getSummary } from '../../api/index.js';
import { TAB_FORGOTTEN_AFTER_MS } from '../../limits.js';
import { createHub, type Hub } from './hub.js';
import { openGatewayStream } from './stream.js';
import type { HubMessage, TabMessage } from './tab-message.js';

/*
 * One stream for every tab of this browser: on HTTP/1.1 a browser opens six connections to a host, and seven tabs with a
 * stream each would leave none for anything else.
 */

type Tab = { port: MessagePort; threads: string[]; heardAt: number };

const tabs = new Map<MessagePort, Tab>();
let hub: Hub | null = null;

function startHub(): Hub {
  return createHub({
    open: openGatewayStream,
    getSummary,
    now: Date.now,
    after: (ms, task) => {
      const timer = setTimeout(task, ms);
      return () => clearTimeout(timer);
    },
    onChange: (change) => {
      for (const { port } of tabs.values()) say(port, { type: 'change', change });
    },
  });
}

function say(port: MessagePort, message: HubMessage): void {
  port.postMessage(message);
}

function watchAll(): void {
  const now = Date.now();
  for (const tab of tabs.values())
    if (now - tab.heardAt > TAB_FORGOTTEN_AFTER_MS) tabs.delete(tab.port);
  hub?.watch([...tabs.values()].flatMap(({ threads }) => threads));
}

function hear(port: MessagePort, message: TabMessage): void {
  if (message.type === 'bye') tabs.delete(port);
  else {
    hub ??= startHub();
    const known = tabs.get(port);
    const threads = message.type === 'here' ? message.threads : (known?.threads ?? []);
    tabs.set(port, { port, threads, heardAt: Date.now() });
    if (known === undefined) say(port, { type: 'state', state: hub.state() });
    if (message.type === 'restart') hub.restart();
  }
  watchAll();
}

/** The types of pages do not know it, and those of workers cannot be had beside them. */
type SharedWorkerScope = { onconnect: (event: MessageEvent) => void };

(self as unknown as SharedWorkerScope).onconnect = ({ ports: [port] }) => {
  if (port === undefined) return;
  port.onmessage = ({ data }: MessageEvent<TabMessage>) => hear(port, data);
};
