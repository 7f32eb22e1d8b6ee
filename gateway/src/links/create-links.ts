import { nodeNameSchema } from '@uncaged/protocol/ids';
import {
  type AcceptedLink,
  acceptLink,
  type Hello,
  type LinkEnd,
  type Transport,
} from '@uncaged/protocol/link';
import { isProblem } from '@uncaged/protocol/problem';
import type { Identity } from '../auth/index.js';
import { decide } from './admission.js';
import { refusalOf } from './check-hello.js';
import { createExpiry } from './expiry.js';
import { createGenerations } from './generations.js';
import { EXPIRY_LOOK_MAX_MS, FAREWELL_MAX_MS, NAMES_MAX, WAITING_MAX } from './limits.js';
import { createLinkTable, type Entry } from './link-table.js';
import type { LinksOptions } from './options.js';
import { quoted } from './quoted.js';
import { createSockets } from './sockets.js';
import { createTurns, type Turn } from './turns.js';
import type { Links } from './types.js';
import { createUpgrades, type Visitor } from './upgrades.js';

/** A connection from its WebSocket on: first a handshake, then perhaps a link. */
type Visit = {
  readonly identity: Identity;
  readonly address: string;
  hello: Hello | null;
  turn: Turn | null;
  entry: Entry | null;
};

/** Accepts nodes and keeps their links: who has which name, until when. */
export function createLinks(options: LinksOptions): Links {
  const { auth, directory, limits, gateway, protocols, clock, now, log } = options;
  const table = createLinkTable(
    ({ type, link }) => directory.setState(link.hello, type === 'up' ? 'online' : 'offline'),
    (error) => log('RRPDQDYA', `a listener for links failed: ${textOf(error)}`),
  );
  const sockets = createSockets(clock);
  const greeting = new Set<Transport>();
  let closing: Promise<void> | null = null;
  const parts = {
    auth,
    table,
    turns: createTurns(WAITING_MAX),
    generations: createGenerations(NAMES_MAX),
    probeMs: limits.probeMs,
    isClosing: () => closing !== null,
  };

  /** Ends the links whose tokens are good no more; returns when the next one expires. */
  const endInvalid = () => {
    let next: number | null = null;
    for (const { link } of table.all()) {
      const { expiresAt } = link.identity;
      if (expiresAt !== null && expiresAt <= now()) link.mux.close('revoked', 'it has expired');
      else if (!auth.isValid(link.identity))
        link.mux.close('revoked', 'an operator has revoked it');
      else if (expiresAt !== null) next = Math.min(next ?? expiresAt, expiresAt);
    }
    return next;
  };
  const expiry = createExpiry(clock, now, EXPIRY_LOOK_MAX_MS, endInvalid);
  const stopRevoked = auth.onRevoked(() => void endInvalid());

  const record = (visit: Visit, action: string, status: number | null) => {
    const { role, name } = visit.identity;
    const node = nodeNameSchema.safeParse(visit.hello?.node).data ?? null;
    options.audit.record({
      role,
      name,
      address: visit.address,
      action,
      node,
      thread: null,
      status,
    });
  };

  const admitted = (visit: Visit, { mux, hello, welcome }: AcceptedLink) => {
    const { identity, address } = visit;
    const { generation } = welcome;
    const link = { name: hello.node, generation, hello, mux, identity, address };
    const entry: Entry = { link, since: now(), leaving: false, silent: false };
    visit.entry = entry;
    record(visit, 'link.open', null);
    log(
      'BR1P4SHA',
      `${link.name}: link ${generation} from ${address}, version ${quoted(hello.version)}`,
    );
    const older = table.put(entry);
    if (older !== null) retire(older, limits.drainMs);
    expiry.watch(identity.expiresAt);
  };
  const refused = (visit: Visit, error: unknown) => {
    const { hello, identity, address } = visit;
    log(
      'CXPRJ0MC',
      `no link with ${quoted(hello?.node ?? '')} at ${address}: ${quoted(textOf(error))}`,
    );
    // One that has gone, or never spoke, was not refused.
    if (hello === null || isProblem(error, 'link-lost')) return;
    record(visit, 'link.refused', isProblem(error) ? error.status : null);
    // Whoever has the name now keeps its state, and nobody changes that of another.
    const itsName = refusalOf(hello, identity) === null && table.current(hello.node) === null;
    if (isProblem(error, 'update-needed') && error.details.goaway === 'protocol' && itsName)
      directory.setState(hello, 'update-needed');
  };
  const ended = (visit: Visit, entry: Entry, end: LinkEnd) => {
    const { name, generation } = entry.link;
    record(visit, 'link.close', null);
    log('BKJXN17S', `${name}: link ${generation} ended, ${end.cause}: ${quoted(end.message)}`);
    table.remove(entry);
  };

  const greet = async ({ transport, identity, address, greeted }: Visitor) => {
    const visit: Visit = { identity, address, hello: null, turn: null, entry: null };
    greeting.add(transport);
    try {
      const accepted = await acceptLink({
        transport,
        clock,
        limits: limits.link,
        gateway,
        ...(protocols === undefined ? {} : { protocols }),
        heard(hello) {
          visit.hello = hello;
          greeted();
        },
        admit: (hello, signal) =>
          decide(parts, { hello, identity, signal }, (turn) => {
            visit.turn = turn;
          }),
        onGoaway() {
          if (visit.entry !== null) visit.entry.leaving = true;
        },
        onClose(end) {
          if (visit.entry !== null) ended(visit, visit.entry, end);
        },
      });
      admitted(visit, accepted);
    } catch (error) {
      refused(visit, error);
    } finally {
      greeting.delete(transport);
      greeted();
      visit.turn?.();
      visit.turn = null;
    }
  };
  const upgrade = createUpgrades(options, parts.isClosing, (visitor) => void greet(visitor));

  const shutDown = async (limitMs: number) => {
    stopRevoked();
    expiry.stop();
    for (const transport of greeting) transport.terminate();
    const why = 'the gateway is shutting down';
    await Promise.all(
      table.all().map(async ({ link: { mux } }) => {
        if (mux.openStreams() > 0) {
          mux.goaway('shutdown', why);
          await mux.drained(limitMs);
          // What was queued in this turn leaves before the end.
          await new Promise<void>((resolve) => clock.soon(resolve));
        }
        mux.close('shutdown', why);
      }),
    );
    await sockets.close(Math.min(limitMs, FAREWELL_MAX_MS));
  };

  return {
    get: (name) => table.current(name)?.link ?? null,
    list: table.list,
    onChange: table.onChange,
    upgrade(request, socket, head) {
      sockets.add(socket);
      upgrade(request, socket, head);
    },
    close(limitMs) {
      // Begun in the next turn: whoever is told of an end then sees that all of it ends.
      closing ??= Promise.resolve().then(() => shutDown(limitMs));
      return closing;
    },
  };
}

/** Ends a link whose name another has taken over; one that is leaving in order may finish what it does. */
function retire({ link: { mux }, silent, leaving }: Entry, drainMs: number): void {
  const why = 'a newer link of the node has taken its place';
  if (silent) mux.terminate(`it gave no sign of life, and ${why}`);
  else if (leaving) void mux.drained(drainMs).then(() => mux.close('replaced', why));
  else mux.close('replaced', why);
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
