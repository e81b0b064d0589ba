import { badInput } from '../base/error.js';
import { embedOptions } from '../options/embedding.js';
import { protocolGiven } from '../options/shapes.js';
import type { Command, Json } from '../protocol/node.js';
import type { TimerClock } from '../protocol/node-timers.js';
import type { Protocol } from '../protocol/protocol.js';
import { checkOptions } from '../schema/check.js';
import type { Topology } from '../topology/topology.js';
import { ClientEntrance, requireClients } from './clients.js';
import {
  type Embedded,
  type EmbedOptions,
  networkOf,
  requireGuarantees,
  requirePeers,
  requireStorage,
  requireTimes,
} from './embedded.js';
import { EmbeddedNode } from './embedded-node.js';
import { Registration } from './registration.js';
import { Session } from './session.js';
import type { StableStorage } from './storage.js';
import { StoredNode } from './stored-node.js';
import { nextIncarnation, termsOf } from './terms.js';
import type { Transport } from './transport.js';

/**
 * Runs one node of `protocol` in this application.
 *
 * No message of another node stops the application: errors are emitted by `errors$`, or passed to
 * `onError` while it has no subscriber.
 *
 * All nodes must have the same terms: protocol, options, network and epoch. A node that differs is
 * refused on both sides, by the error `refused`: in memory `embed` throws it. Where peers may come
 * back as new processes (`transport.guarantees.restarts`), each name is one process, and a node
 * starts when all others have admitted it: by a session at each start, where the protocol does not
 * tolerate a restart; otherwise, with storage, once in each epoch. Over message ports a node starts
 * when it has heard of its peers. Commands before that are the error `unhandled`: wait for
 * `admitted`, which over memory resolves at once.
 *
 * @throws {ConclaveError} `assumption` when the transport guarantees less than the protocol
 * assumes, or storage is missing; `bad-topology`; `bad-input`, also for a time of the protocol that
 * real timers cannot keep; `refused` where what is stored, or another node in this memory, has other terms; `closed` when the
 * storage cannot be written.
 * @example
 * await using node = embed(ricartAgrawala, { self: 'a', peers: ['b', 'c'], transport });
 * node.state$.subscribe(({ value }) => console.log(value));
 * await node.admitted; // between processes, its peers admit it first
 * node.send({ type: 'acquire' });
 */
export function embed<C extends Command>(
  protocol: Protocol<C>,
  options: EmbedOptions,
): Embedded<C> {
  checkOptions('embed', protocolGiven, { protocol });
  checkOptions('embed', embedOptions, options);
  const { self, transport, incarnation, epoch, storage, clock, reportWaitAfter } = options;
  if (transport.self !== self)
    throw badInput(`Node ${self} is given the transport of node ${transport.self}`);
  const topology = networkOf(protocol, self, options);
  requireGuarantees(protocol, transport);
  if (!clock) requireTimes(protocol);
  requireStorage(protocol, topology, options);
  if (options.clients) requireClients(protocol, topology, options);
  else if (transport.clients)
    throw badInput(
      `The transport of node ${self} admits clients, and the node serves none`,
      'Give the node clients: true, too, as all servers must have it; or leave it out at the transport.',
    );
  const entrance = options.clients && new ClientEntrance(transport, protocol, topology, epoch);
  const checked = verified(entrance ? entrance.nodes : transport, {
    protocols: [protocol],
    topology,
    incarnation,
    epoch,
    storage,
    clock,
    reportWaitAfter,
  });
  return new EmbeddedNode<C>(protocol, topology, {
    ...options,
    ...checked,
    ...(entrance && { transport: entrance.over(checked.transport) }),
  });
}

/** What is built of several parts asks again for each. */
const met = new WeakSet<Transport>();

/**
 * The transport, where its peers may come back as new processes, with a check of who sends: all
 * nodes have the same terms, and each name is one process. A {@link Session} where the first
 * protocol does not tolerate a restart, a {@link Registration} otherwise. Several nodes may share
 * it, such as that of a detector. `embed` calls it for one alone. Where no peer comes back, the
 * transport itself compares the terms, if it can.
 *
 * @throws {ConclaveError} `bad-input` where the transport does not know a node that it must reach;
 * `refused` where what is stored does not fit the terms; what `read` throws.
 */
export function verified(
  transport: Transport,
  options: {
    /** What travels on it: the protocol, and those beside it, such as a detector. */
    readonly protocols: readonly [Protocol, ...Protocol[]];
    readonly topology: Topology;
    /** As for `embed`. */
    readonly incarnation?: number | undefined;
    readonly epoch?: number | undefined;
    /** What else all nodes must have in common, by name. */
    readonly terms?: Readonly<Record<string, Json>>;
    readonly storage?: StableStorage | undefined;
    readonly clock?: TimerClock | undefined;
    readonly reportWaitAfter?: number | undefined;
  },
): Pick<EmbedOptions, 'transport' | 'storage'> & { readonly incarnation: number } {
  const { protocols, topology, epoch = 1, terms: others, clock, reportWaitAfter } = options;
  requirePeers(topology, transport);
  const stored = new StoredNode(
    transport.self,
    options.storage,
    options.incarnation ?? nextIncarnation(transport.self),
  );
  const { storage, incarnation } = stored;
  const on = (checked: Transport) => ({
    transport: checked,
    incarnation,
    ...(storage && { storage }),
  });
  if (transport.verified || transport.admitted) return on(transport);
  const { nodes } = topology;
  const terms = { ...termsOf(protocols, topology, epoch), ...others };
  if (transport.guarantees.restarts !== true) {
    // one that has crashed, or joins later, is not awaited, and compared when it is heard
    const mayLack = protocols.some(
      ({ tolerates, crashNotice }) => tolerates?.includes('crash') || crashNotice !== undefined,
    );
    const peers = mayLack ? [] : nodes.filter((id) => topology.link(id, transport.self));
    if (!met.has(transport)) transport.meet?.(terms, peers, reportWaitAfter);
    met.add(transport);
    return on(transport);
  }
  const [{ tolerates = [], succession }] = protocols;
  const common = { nodes, terms, clock, reportWaitAfter };
  if (tolerates.includes('restart'))
    return on(new Registration(transport, { ...common, stored, succession }));
  return on(new Session(transport, { ...common, incarnation }));
}
