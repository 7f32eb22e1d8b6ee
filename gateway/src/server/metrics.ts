import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import type { EventHub } from '../events/index.js';
import type { Links } from '../links/index.js';

export type Metrics = {
  /** A request was answered; `way`: by the gateway itself or by a node. */
  answered: (way: 'own' | 'node', status: number) => void;
  /** Text for Prometheus, and its content type. */
  text: () => Promise<{ type: string; body: string }>;
};

const STATUS_CLASS = 100;

/** Measured by Prometheus when it asks, besides the counts of requests. */
export function createMetrics({ links, hub }: { links: Links; hub: EventHub }): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const requests = new Counter({
    name: 'uwf_gateway_requests_total',
    help: 'Requests answered, by who answered them and the class of the status.',
    labelNames: ['way', 'class'],
    registers: [registry],
  });
  /** By way and class: to find the counter of labels takes longer than to count. */
  const counters = new Map<string, ReturnType<typeof requests.labels>>();
  gauge(registry, 'uwf_gateway_nodes', 'Nodes that are connected.', () => links.list().length);
  gauge(registry, 'uwf_gateway_streams', 'Requests under way on all links.', () =>
    links.list().reduce((sum, { mux }) => sum + mux.openStreams(), 0),
  );
  gauge(registry, 'uwf_gateway_followers', 'Clients that follow the merged stream.', () =>
    hub.followers(),
  );
  return {
    answered: (way, status) => {
      const name = `${way} ${Math.floor(status / STATUS_CLASS)}xx`;
      let counter = counters.get(name);
      if (counter === undefined) {
        counter = requests.labels({ way, class: name.slice(way.length + 1) });
        counters.set(name, counter);
      }
      counter.inc();
    },
    text: async () => ({ type: registry.contentType, body: await registry.metrics() }),
  };
}

function gauge(registry: Registry, name: string, help: string, value: () => number): void {
  new Gauge({
    name,
    help,
    registers: [registry],
    collect() {
      this.set(value());
    },
  });
}
