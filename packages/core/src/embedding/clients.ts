/** A node and clients that its network does not name: they come and go, and nobody registers them. */
import { badInput, ConclaveError } from '../base/error.js';
import type { Message, NodeId } from '../protocol/node.js';
import { type Protocol, roleOf } from '../protocol/protocol.js';
import { complete } from '../topology/generators.js';
import { isNodeId, type Topology } from '../topology/topology.js';
import type { EmbedOptions } from './embedded.js';
import { Inbox } from './inbox.js';
import { isReported } from './repeats.js';
import { sameOnAllNodes } from './session-refusals.js';
import { difference, digestOf, type Terms, termsOf } from './terms.js';
import {
  type Guarantees,
  type Incoming,
  isMessage,
  isRecord,
  type Transport,
} from './transport.js';
import { TransportLayer } from './transport-layer.js';

/** To and from clients. A client that has other terms is told those of the node. */
type ClientFrame =
  | { readonly type: 'from-client'; readonly terms: string; readonly message: Message }
  | { readonly type: 'to-client'; readonly terms: string; readonly message: Message }
  | { readonly type: 'other-terms'; readonly terms: Terms };

/** The longest name of a client that is taken. */
const longestName = 200;

/** What the nodes that vote and their clients must have in common. */
const commonTerms = (protocol: Protocol, servers: readonly NodeId[], epoch: number): Terms =>
  termsOf([protocol], complete(servers), epoch);

/**
 * The transport of a client of `servers`, over one that reaches them.
 *
 * @param servers in the order in which they know themselves
 */
export const clientTransport = (
  transport: Transport,
  protocol: Protocol,
  servers: readonly NodeId[],
  epoch = 1,
): Transport => new ClientTransport(transport, commonTerms(protocol, servers, epoch));

class ClientTransport extends TransportLayer {
  readonly guarantees: Guarantees;
  /** A client is a single process: its name is its own. */
  readonly verified = true;
  readonly #digest: string;

  constructor(
    below: Transport,
    private readonly terms: Terms,
  ) {
    super(below);
    this.guarantees = below.guarantees;
    this.#digest = digestOf(terms);
    this.arrivals.add(below.received$.subscribe((incoming) => this.#take(incoming)));
  }

  send(to: NodeId, message: Message): void {
    this.requireOpen(message);
    const frame: ClientFrame = { type: 'from-client', terms: this.#digest, message };
    this.below.send(to, frame);
  }

  #take({ from, message }: Incoming): void {
    const frame = asFrame(message);
    if (frame?.type === 'to-client' && frame.terms === this.#digest)
      this.inbox.put({ from, message: frame.message });
    else if (frame?.type === 'other-terms') {
      const what = difference(this.self, this.terms, from, frame.terms);
      this.fail(
        new ConclaveError(
          'refused',
          `Client ${this.self} is refused by node ${from}: ${what}`,
          sameOnAllNodes,
        ),
      );
    } else
      this.report(
        badInput(
          `Client ${this.self} got from ${from} what no server sends to a client`,
          'Give the servers the option clients: true, and run the same version at all nodes.',
        ),
        from,
      );
  }

  protected end(): Promise<void> {
    this.inbox.close();
    this.arrivals.unsubscribe();
    return this.below.close();
  }
}

/** Tells the messages of clients from those of the nodes of the network. */
export class ClientEntrance {
  /** The transport, without the messages of clients. */
  readonly nodes: Transport;
  readonly #terms: Terms;
  readonly #digest: string;
  readonly #named: ReadonlySet<NodeId>;
  readonly #inbox = new Inbox();
  #refusals = 0;
  #served: ServingTransport | undefined;

  constructor(
    private readonly below: Transport,
    protocol: Protocol,
    { nodes }: Topology,
    epoch = 1,
  ) {
    this.#terms = commonTerms(protocol, nodes, epoch);
    this.#digest = digestOf(this.#terms);
    this.#named = new Set(nodes);
    const { self, guarantees, errors$, status$, peers$, verified = false } = below;
    const arrivals = below.received$.subscribe((incoming) =>
      this.#named.has(incoming.from) ? this.#inbox.put(incoming) : this.#take(incoming),
    );
    const close = () => {
      arrivals.unsubscribe();
      this.#inbox.close();
      return below.close();
    };
    this.nodes = {
      ...{ self, guarantees, verified, received$: this.#inbox.items$ },
      ...(errors$ && { errors$ }),
      ...(status$ && { status$ }),
      ...(peers$ && { peers$ }),
      meet: (...of) => below.meet?.(...of),
      send: (to, message) => below.send(to, message),
      close,
      [Symbol.asyncDispose]: close,
    };
  }

  /** `checked`, with the messages to and from clients. */
  over(checked: Transport): Transport {
    this.#served = new ServingTransport(checked, this.#named, (to, message) =>
      this.#tell(to, { type: 'to-client', terms: this.#digest, message }),
    );
    return this.#served;
  }

  /** Until the node is admitted they get lost, which they may. */
  #take({ from, message }: Incoming): void {
    const served = this.#served;
    if (!served?.isAdmitted) return;
    const frame = asFrame(message);
    const isClient = frame?.type === 'from-client' && isNodeId(from) && from.length <= longestName;
    if (isClient && frame.terms === this.#digest)
      return served.take({ from, message: frame.message });
    if (isClient) this.#tell(from, { type: 'other-terms', terms: this.#terms });
    const count = ++this.#refusals;
    if (!isReported(count)) return;
    const who = `Node ${this.nodes.self} has refused ${count} messages of clients, the last one of ${JSON.stringify(from.slice(0, 60))}`;
    served.refuse(
      new ConclaveError(
        'refused',
        `${who}: ${isClient ? 'it has another protocol, epoch, version or other options' : 'it is no client'}`,
        isClient ? sameOnAllNodes : 'Name all nodes as peers; others are clients: lockClient.',
      ),
    );
  }

  #tell(to: NodeId, frame: ClientFrame): void {
    this.below.send(to, frame);
  }
}

class ServingTransport extends TransportLayer {
  readonly guarantees: Guarantees;
  readonly verified = true;
  isAdmitted: boolean;

  constructor(
    checked: Transport,
    private readonly named: ReadonlySet<NodeId>,
    private readonly toClient: (to: NodeId, message: Message) => void,
  ) {
    super(checked);
    this.guarantees = checked.guarantees;
    this.isAdmitted = checked.admitted === undefined;
    checked.admitted?.then(
      () => {
        this.isAdmitted = true;
      },
      () => {}, // the node reports it
    );
    this.arrivals.add(checked.received$.subscribe((incoming) => this.inbox.put(incoming)));
  }

  take(incoming: Incoming): void {
    this.inbox.put(incoming);
  }

  refuse(error: ConclaveError): void {
    this.report(error);
  }

  send(to: NodeId, message: Message): void {
    this.requireOpen(message);
    if (this.named.has(to)) this.below.send(to, message);
    else this.toClient(to, message);
  }

  protected end(): Promise<void> {
    this.inbox.close();
    this.arrivals.unsubscribe();
    return this.below.close();
  }
}

/**
 * @throws {ConclaveError} `bad-input` where the protocol serves no clients, or there is a journal;
 * `assumption` where the transport takes no messages of nodes without a name.
 */
export function requireClients(
  protocol: Protocol,
  topology: Topology,
  { self, transport, journal }: Pick<EmbedOptions, 'self' | 'transport' | 'journal'>,
): void {
  if (protocol.clients?.servedBy !== roleOf(protocol, self, topology).name)
    throw badInput(
      `${protocol.title}: node ${self} serves no clients`,
      'Take leasedMajority({ servers: 3 }), or leave out clients.',
    );
  if (transport.clients !== true)
    throw new ConclaveError(
      'assumption',
      `The transport of node ${self} takes messages of its peers only, and none of clients`,
      'Give clients: true to memoryNetwork, tcpTransport or natsTransport; authenticated may wrap them. Other transports serve no clients.',
    );
  if (journal)
    throw badInput(
      `Node ${self} cannot write a journal while it serves clients: a journal names all nodes`,
      'Leave out journal or clients.',
    );
}

function asFrame(message: unknown): ClientFrame | undefined {
  if (!isRecord(message)) return undefined;
  const { type, terms, message: inner } = message;
  if ((type === 'from-client' || type === 'to-client') && typeof terms === 'string')
    return isMessage(inner) ? { type, terms, message: inner } : undefined;
  if (type === 'other-terms' && isRecord(terms)) return { type, terms: terms as Terms }; // JSON
  return undefined;
}
