import { checkOptions } from '../options/check.js';
import { embedOptions } from '../options/embedding.js';
import { protocolGiven } from '../options/shapes.js';
import { badInput } from '../protocol/error.js';
import type { Command, Message } from '../protocol/node.js';
import type { Protocol } from '../protocol/protocol.js';
import type { Embedded, EmbedOptions } from './embedded.js';
import { EmbeddedNode } from './embedded-node.js';
import { needsSession, networkOf, requireGuarantees, requireStorage, requireTimes } from './requirements.js';
import { session } from './session.js';

/**
 * Runs one node of `protocol` in this application.
 *
 * No message of another node stops the application: errors are emitted by `errors$`, or passed to `onError` while it has no subscriber.
 *
 * Where peers may come back as new processes (`transport.guarantees.restarts`) and the protocol does not tolerate that, the node starts when all
 * nodes of the network have admitted it, by a {@link session}: none of them remembers an earlier incarnation of it.
 *
 * @throws {ConclaveError} `assumption` when the transport guarantees less than the protocol assumes, or storage is missing; `bad-topology`;
 * `bad-input`, also for a time of the protocol that real timers cannot keep; `closed` when the storage cannot be written.
 * @example
 * await using node = embed(ricartAgrawala, { self: 'a', peers: ['b', 'c'], transport });
 * node.state$.subscribe(({ value }) => console.log(value));
 * node.send({ type: 'acquire' });
 */
export function embed<C extends Command>(protocol: Protocol<Message, C>, options: EmbedOptions): Embedded<C> {
  checkOptions('embed', protocolGiven, { protocol });
  checkOptions('embed', embedOptions, options);
  const { self, transport, clock } = options;
  if (transport.self !== self) throw badInput(`Node ${self} is given the transport of node ${transport.self}`);
  const topology = networkOf(protocol, self, options);
  requireGuarantees(protocol, transport);
  if (!clock) requireTimes(protocol);
  if (!needsSession(protocol, transport)) {
    requireStorage(protocol, topology, options);
    return new EmbeddedNode<C>(protocol, topology, options);
  }
  const terms = { protocol: protocol.name, options: protocol.options ?? {}, messages: fieldsOf(protocol), network: topology.spec };
  const { nodes } = topology;
  return new EmbeddedNode<C>(protocol, topology, options, (incarnation) =>
    session(transport, { nodes, terms, incarnation, ...(clock && { clock }) }),
  );
}

/** The fields of each message: versions of a protocol may differ in them. */
const fieldsOf = ({ messages }: Protocol) =>
  Object.fromEntries(Object.entries(messages).map(([type, { fields = [] }]) => [type, [...fields].sort()]));
