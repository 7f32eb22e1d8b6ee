import { readFileSync } from 'node:fs';
import { createGatewayClient, type GatewayClient } from '@uncaged/protocol/api/client';
import {
  type ConnectOptions,
  createGateway,
  startNode,
  type TestGateway,
} from '../support/gateway.js';
import { processesWith } from '../support/processes.js';
import type { Service } from '../support/service.js';
import { until } from '../support/until.js';
import { createMachine, type Machine } from '../support/uwf.js';
import { writeWorkflow } from '../support/workflows.js';

/** Losses are noticed within two seconds: shorter, a machine that is busy with other tests would make links look dead. */
const LINK_LIMITS = { heartbeatMs: 300, silenceMs: 2_000 };
const NODE_LIMITS = {
  ...LINK_LIMITS,
  retryMinMs: 50,
  retryMaxMs: 300,
  drainMs: 1_000,
  houseEveryMs: 200,
};

/** Of a test or hook with a fleet, ms; on its own it takes a tenth of this. */
export const FLEET_TEST_MAX_MS = 120_000;

/** A machine and its `uwf connect`. */
export type FleetNode = {
  name: string;
  machine: Machine;
  service: () => Service;
  /** `uwf connect` again, after it was stopped or killed. */
  start: () => Promise<void>;
  disconnect: () => Promise<number>;
};

/** A gateway and the machines that dial it, all in processes of their own. */
export type Fleet = {
  gateway: TestGateway;
  client: GatewayClient;
  /** A machine with these definitions (name → YAML), connected. */
  add: (
    options: ConnectOptions & { workflows?: Readonly<Record<string, string>> },
  ) => Promise<FleetNode>;
  /** To be done at the end, before the rest; the last one first. */
  onEnd: (close: () => Promise<void> | void) => void;
  /** Ends everything; fails when a process is left. */
  end: () => Promise<void>;
};

export async function createFleet(
  options: { limits?: object; nodeLimits?: Record<string, number> } = {},
): Promise<Fleet> {
  const gateway = await createGateway({ limits: { link: LINK_LIMITS, ...options.limits } });
  const nodes: FleetNode[] = [];
  const closing: (() => Promise<void> | void)[] = [];
  return {
    onEnd: (close) => void closing.push(close),
    gateway,
    client: clientOf(gateway, gateway.url),
    async add({ workflows = {}, ...connect }) {
      const machine = createMachine({ ...NODE_LIMITS, ...options.nodeLimits });
      for (const [name, yaml] of Object.entries(workflows))
        await machine.json(['workflow', 'add', writeWorkflow(machine.cwd, name, yaml)]);
      let service = startNode(machine, gateway, connect);
      const node: FleetNode = {
        name: connect.name,
        machine,
        service: () => service,
        start: async () => {
          if (service.exitCode() === null) throw new Error(`${connect.name} still runs`);
          service = startNode(machine, gateway, connect);
          await gateway.untilNode(connect.name);
        },
        disconnect: () => service.stop(),
      };
      nodes.push(node);
      await gateway.untilNode(connect.name);
      return node;
    },
    async end() {
      for (const close of closing.reverse()) await close();
      await Promise.all(nodes.map((node) => node.disconnect()));
      await gateway.dispose();
      for (const { machine } of nodes) await machine.dispose();
      await until('every process has ended', () =>
        [gateway.dataDir, ...nodes.map(({ machine }) => machine.cwd)].every(
          (directory) => processesWith(directory).length === 0,
        ),
      );
    },
  };
}

/** The typed client, at the gateway or at a proxy before it. */
export function clientOf({ key }: Pick<TestGateway, 'key'>, baseUrl: string): GatewayClient {
  return createGatewayClient({ baseUrl, token: key });
}

/** Resident memory of a process, MiB. Linux. */
export function residentMib(pid: number): number {
  const [, kib] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  if (kib === undefined) throw new Error(`process ${pid} has no memory`);
  return Number(kib) / 1024;
}
