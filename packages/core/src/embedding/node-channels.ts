import { badInput, type ConclaveError } from '../base/error.js';
import { messageToStranger } from '../protocol/contract-errors.js';
import { largestCounter, largestStored, reach, requireCounters } from '../protocol/counters.js';
import { requireNoNotice } from '../protocol/crash-notice.js';
import type { Message, NodeId, Received } from '../protocol/node.js';
import { type Protocol, roleOf } from '../protocol/protocol.js';
import type { HostEffect } from '../protocol/step.js';
import type { Topology } from '../topology/topology.js';
import { cannotSend } from './embed-errors.js';
import { withoutLabel } from './journal-writer.js';
import type { StoredNode } from './stored-node.js';
import type { Incoming, Transport } from './transport.js';
import { checked, isMessage } from './wire.js';

/** The channels between node `id` and its neighbours, over its transport. */
export class NodeChannels {
  /** The largest counter that it has stored at its start, sent or taken. */
  #largest = 0;

  constructor(
    private readonly protocol: Protocol,
    private readonly topology: Topology,
    private readonly id: NodeId,
    private readonly transport: Transport,
    private readonly servesClients = false,
  ) {}

  /**
   * The protocol whose nodes start from what is stored; from then on it knows the counters there.
   * @throws {ConclaveError} `bad-input` for a counter that is none: the node must not start.
   */
  resumed(stored: StoredNode): Protocol {
    const { protocol, topology, id } = this;
    const largest = largestStored(roleOf(protocol, id, topology), stored.fields ?? {});
    if (typeof largest === 'number') {
      this.#know(largest);
      return stored.resumed(protocol);
    }
    stored.failed = true;
    throw badInput(
      `Node ${id} cannot start from its storage: ${largest}`,
      'Stop all nodes, and start them with empty storages in the next epoch: fencing tokens begin anew.',
    );
  }

  /**
   * What arrived, and the label of its link.
   * @throws {ConclaveError} `bad-input` for what no neighbour that runs this protocol sends.
   */
  received({ from, message }: Incoming): {
    readonly message: Received<Message>;
    readonly label: string | undefined;
  } {
    const { protocol, topology, id } = this;
    if (!this.#isClient(from, message) && (!topology.has(from) || !topology.link(from, id)))
      throw badInput(
        `Node ${id} got a message from '${from}', which has no channel to it in '${topology.spec}'`,
      );
    const cure = `Do both run ${protocol.name}, in the same version?`;
    const { message: bare, label } = withoutLabel(message);
    const known = checked(protocol.messages, bare, `Node ${id} got from ${from}`, cure);
    const { type } = known;
    const counter = Number(largestCounter(known, protocol.messages[type]?.counters ?? []));
    if (counter > this.#largest + reach)
      throw badInput(
        `Node ${id} got from ${from} '${type}' with the counter ${counter}, more than 2^38 above ${this.#largest}, the largest that it knows`,
        cure,
      );
    this.#know(counter);
    return { message: { ...known, from }, label };
  }

  /**
   * Sends the messages of a step; an error that the transport may make goes to `report`.
   *
   * @param labelled the messages with their numbers on the link, for a node with a journal
   * @returns why a message is lost that the transport promised to deliver
   */
  send(
    effects: readonly HostEffect[],
    labelled: readonly Message[] | undefined,
    report: (error: ConclaveError, to: NodeId) => void,
  ): ConclaveError | undefined {
    const { loss } = this.transport.guarantees;
    let sends = 0;
    let lost: ConclaveError | undefined;
    for (const effect of effects) {
      if (effect.type !== 'send') continue;
      const error = this.#send(effect.to, effect.message, labelled?.[sends++]);
      if (!error) continue;
      if (loss) report(error, effect.to);
      else lost ??= error;
    }
    return lost;
  }

  #know(counter: number): void {
    if (counter > this.#largest) this.#largest = counter;
  }

  /** Whether it is a client, and, of what arrived from it, whether a client sends such messages. */
  #isClient(other: NodeId, received?: unknown): boolean {
    if (!this.servesClients || this.topology.has(other)) return false;
    const { messages = [] } = this.protocol.clients ?? {};
    return received === undefined || (isMessage(received) && messages.includes(received.type));
  }

  #send(to: NodeId, message: Message, labelled = message): ConclaveError | undefined {
    const { protocol, topology, id, transport } = this;
    if (!this.#isClient(to) && (!topology.has(to) || !topology.link(id, to)))
      throw messageToStranger(id, { to, message }, topology.spec);
    requireNoNotice(protocol, id, message);
    this.#know(requireCounters(protocol, id, message));
    try {
      transport.send(to, labelled);
      return undefined;
    } catch (error) {
      return cannotSend(id, to, message, transport.guarantees, error);
    }
  }
}
