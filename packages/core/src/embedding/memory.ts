/** Networks within one process: one that delivers by itself, and one that a test steps by hand. */
import { badInput, type ConclaveError } from '../base/error.js';
import type { Message, NodeId } from '../protocol/node.js';
import type { TimerClock } from '../protocol/node-timers.js';
import type { InFlight } from '../protocol/property.js';
import type { Topology } from '../topology/topology.js';
import { Inbox, transportClosed } from './inbox.js';
import { differentError } from './session-refusals.js';
import { sameTerms, type Terms } from './terms.js';
import type { Guarantees, Incoming, Transport } from './transport.js';

/**
 * A network within one process: a transport for each of `nodes`, without loss or duplication.
 *
 * @example
 * const network = memoryNetwork(['a', 'b']);
 * embed(protocol, { self: 'a', peers: ['b'], transport: network.transport('a') });
 */
export function memoryNetwork(
  nodes: Topology | readonly NodeId[],
  {
    order = 'fifo',
    schedule = queueMicrotask,
    clients = false,
  }: {
    /** Default `fifo`. With `any`, `schedule` decides in which order messages arrive. */
    readonly order?: 'fifo' | 'any';
    /** Runs `deliver` later, once for each message. Default `queueMicrotask`. */
    readonly schedule?: (deliver: () => void) => void;
    /** Whether nodes with other names may take part, as clients. Default false. */
    readonly clients?: boolean;
  } = {},
): { transport(id: NodeId): Transport } {
  const network: HandStepped = new HandStepped(
    idsOf(nodes),
    { order, loss: false, duplication: false },
    ({ from, to, message }) =>
      schedule(() => network.deliver(from, to, order === 'fifo' ? 0 : message)),
    clients,
  );
  return { transport: (id) => network.transport(id) };
}

interface Armed {
  readonly timer: string;
  readonly fire: () => void;
}

/** An embedded node, and what it must have in common with the others. */
interface Member {
  readonly terms: Terms;
  readonly report: (error: ConclaveError) => void;
}

/**
 * A network in memory for tests: each message is delivered, and each timer fired, by a call.
 *
 * `guarantees` is what its transports claim; `drop` and `duplicate` always work. Closing an
 * embedded node is its crash: messages in flight to it are lost when delivered, and what it has
 * sent still arrives.
 *
 * @example const network = handStepped(['a', 'b']); const [a, b] = ['a', 'b'].map((self) =>
 * embed(protocol, { self, topology, transport: network.transport(self), clock: network.clock(self)
 * })); a.send({ type: 'acquire' }); network.inFlight; // [{ from: 'a', to: 'b', message: { type:
 * 'request', ts: 1 } }] network.deliver('a', 'b');
 */
export class HandStepped {
  readonly #nodes: ReadonlySet<NodeId>;
  readonly #inboxes = new Map<NodeId, Inbox<Incoming>>();
  readonly #members = new Map<NodeId, Member>();
  readonly #timers = new Map<NodeId, Set<Armed>>();
  readonly #inFlight: InFlight[] = [];

  /**
   * @param onSend called with each message that was just sent
   * @param clients whether it also has nodes of other names
   */
  constructor(
    nodes: readonly NodeId[],
    private readonly guarantees: Guarantees,
    private readonly onSend: (sent: InFlight) => void = () => {},
    private readonly clients = false,
  ) {
    this.#nodes = new Set(nodes);
  }

  /** The messages in flight, in the order they were sent. */
  get inFlight(): readonly InFlight[] {
    return [...this.#inFlight];
  }

  /** The messages in flight from one node to another, in the order they were sent. */
  channel(from: NodeId, to: NodeId): readonly Message[] {
    return this.#inFlight
      .filter((sent) => sent.from === from && sent.to === to)
      .map(({ message }) => message);
  }

  /** The names of the armed timers of `id`, in the order they were armed. */
  timers(id: NodeId): readonly string[] {
    return [...this.#armed(id)].map(({ timer }) => timer);
  }

  /** The transport of node `id`, which may have one at a time. */
  transport(id: NodeId): Transport {
    this.#require(id);
    if (this.#inboxes.has(id))
      throw badInput(`Node ${id} has a transport already`, 'Close it first.');
    const inbox = new Inbox();
    const errors = new Inbox<ConclaveError>();
    this.#inboxes.set(id, inbox);
    const close = async () => {
      if (this.#inboxes.get(id) === inbox) {
        this.#inboxes.delete(id);
        this.#members.delete(id);
      }
      inbox.close();
      errors.close();
    };
    return {
      self: id,
      guarantees: this.guarantees,
      clients: this.clients,
      received$: inbox.items$,
      errors$: errors.items$,
      meet: (terms) => this.#meet(id, { terms, report: (error) => errors.put(error) }),
      send: (to, message) => {
        if (this.#inboxes.get(id) !== inbox) throw transportClosed(id, message);
        this.#require(to);
        const sent: InFlight = { from: id, to, message };
        this.#inFlight.push(sent);
        this.onSend(sent);
      },
      close,
      [Symbol.asyncDispose]: close,
    };
  }

  /** The clock of node `id`: its timers fire by {@link fire} only. */
  clock(id: NodeId): TimerClock {
    const armed = this.#armed(id);
    return {
      setTimeout: (fire, _delay, timer = 'timer') => {
        const entry: Armed = { timer, fire };
        armed.add(entry);
        return entry;
      },
      clearTimeout: (handle) => {
        for (const entry of armed) if (entry === handle) armed.delete(entry);
      },
    };
  }

  /**
   * Delivers one message: the one at a position (0 is the oldest, and the default), or an equal one.
   * @throws {ConclaveError} `bad-input` when there is none, or an older one on a fifo channel.
   */
  deliver(from: NodeId, to: NodeId, which: number | Message = 0): void {
    const index = this.#find(from, to, which);
    if (this.guarantees.order === 'fifo' && index !== this.#find(from, to, 0))
      throw badInput(
        `The channel ${from}→${to} is fifo, and the message is not its oldest`,
        'Deliver the oldest first.',
      );
    const { message } = this.#take(index);
    this.#inboxes.get(to)?.put({ from, message });
  }

  /** Loses one message. */
  drop(from: NodeId, to: NodeId, which: number | Message = 0): void {
    this.#take(this.#find(from, to, which));
  }

  /** Puts a copy of one message right behind it. */
  duplicate(from: NodeId, to: NodeId, which: number | Message = 0): void {
    const index = this.#find(from, to, which);
    this.#inFlight.splice(index, 0, ...this.#inFlight.slice(index, index + 1));
  }

  /**
   * Fires the armed timer `timer` of node `id`.
   * @throws {ConclaveError} `bad-input` when it is not armed.
   */
  fire(id: NodeId, timer: string): void {
    const armed = this.#armed(id);
    const entry = [...armed].find((candidate) => candidate.timer === timer);
    if (!entry)
      throw badInput(
        `Node ${id} has no armed timer '${timer}'`,
        `Armed: ${this.timers(id).join(', ') || 'none'}.`,
      );
    armed.delete(entry);
    entry.fire();
  }

  /** All members have the same terms, so that one of them speaks for all. */
  #meet(id: NodeId, member: Member): void {
    const { terms } = member;
    const [first] = this.#members;
    if (first && !sameTerms(first[1].terms, terms)) {
      for (const [other, { terms: theirs, report }] of this.#members)
        report(differentError(other, theirs, id, terms));
      throw differentError(id, terms, first[0], first[1].terms);
    }
    this.#members.set(id, member);
  }

  #armed(id: NodeId): Set<Armed> {
    this.#require(id);
    const armed = this.#timers.get(id) ?? new Set();
    this.#timers.set(id, armed);
    return armed;
  }

  #require(id: NodeId): void {
    if (!this.clients && !this.#nodes.has(id))
      throw badInput(
        `The network has no node '${id}'`,
        `Its nodes: ${[...this.#nodes].join(', ')}.`,
      );
  }

  /** The place in `#inFlight`. */
  #find(from: NodeId, to: NodeId, which: number | Message): number {
    let place = 0;
    const index = this.#inFlight.findIndex((sent) => {
      if (sent.from !== from || sent.to !== to) return false;
      return typeof which === 'number' ? place++ === which : equal(sent.message, which);
    });
    if (index >= 0) return index;
    const what = typeof which === 'number' ? `message ${which}` : JSON.stringify(which);
    throw badInput(
      `The channel ${from}→${to} holds no ${what}`,
      `It holds ${JSON.stringify(this.channel(from, to))}.`,
    );
  }

  #take(index: number): InFlight {
    const [sent] = this.#inFlight.splice(index, 1);
    if (!sent) throw new Error('unreachable: #find found it');
    return sent;
  }
}

/**
 * A network between `nodes` on which a message arrives when the caller says so.
 *
 * @param guarantees what its transports claim; default: neither loss, duplication nor reordering
 */
export function handStepped(
  nodes: Topology | readonly NodeId[],
  guarantees: Guarantees = { order: 'fifo', loss: false, duplication: false },
): HandStepped {
  return new HandStepped(idsOf(nodes), guarantees);
}

/** @throws {ConclaveError} `bad-input` for what is neither a topology nor a list of ids. */
function idsOf(nodes: Topology | readonly NodeId[]): readonly NodeId[] {
  if (Array.isArray(nodes)) return nodes;
  if (typeof nodes === 'object' && nodes && 'nodes' in nodes) return nodes.nodes;
  throw badInput(
    `The network's nodes are ${JSON.stringify(nodes) ?? String(nodes)}`,
    "Give the ids of all nodes, such as ['a', 'b', 'c'], or a topology.",
  );
}

/** Whether two pieces of plain data are the same, whatever the order of their keys. */
function equal(a: unknown, b: unknown): boolean {
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return a === b;
  const left = Object.entries(a);
  const right = new Map(Object.entries(b));
  return (
    left.length === right.size &&
    left.every(([key, value]) => right.has(key) && equal(value, right.get(key)))
  );
}
