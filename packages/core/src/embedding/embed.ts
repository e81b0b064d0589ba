import { badInput } from '../base/error.js';
import { embedOptions } from '../options/embedding.js';
import { protocolGiven } from '../options/shapes.js';
import type { Command } from '../protocol/node.js';
import type { Protocol } from '../protocol/protocol.js';
import { checkOptions } from '../schema/check.js';
import { ClientEntrance, requireClients } from './clients.js';
import type { Embedded, EmbedOptions } from './embedded.js';
import { EmbeddedNode } from './embedded-node.js';
import { networkOf, requireGuarantees, requireStorage, requireTimes } from './requirements.js';
import { verified } from './verified.js';

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
