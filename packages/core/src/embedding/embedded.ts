import type { Observable } from 'rxjs';
import type { InspectionEvent } from 'xstate';
import { badInput, ConclaveError } from '../base/error.js';
import { requireTopology } from '../protocol/check.js';
import type { Command, Json, Message, NodeId } from '../protocol/node.js';
import type { NodeView } from '../protocol/property.js';
import { type Protocol, roleOf } from '../protocol/protocol.js';
import { complete } from '../topology/generators.js';
import type { Topology } from '../topology/topology.js';
import type { Journal } from './journal.js';
import type { StableStorage } from './storage.js';
import type { Transport } from './transport.js';
import type { Clock } from './wall-clock.js';

/** The node, the other nodes or the network, and how it reaches them. */
export type EmbedOptions = Surroundings & {
  readonly self: NodeId;
  /** Handed over: closing the node closes it. */
  readonly transport: Transport;
  /**
   * Where the node keeps what it must not forget: its incarnation, and the fields that its role
   * declares stable. It starts from them. Handed over, as the transport.
   */
  readonly storage?: StableStorage;
  /**
   * The incarnation of this start: larger than at each earlier one, a whole number. Default: the
   * milliseconds since 1970. With `storage`, at least one more than the stored one.
   */
  readonly incarnation?: number;
  /**
   * The number of this configuration: of the nodes, the protocol and its options. Give all nodes a
   * larger one to change any of that. It is stored with what the node promises: a node of another
   * epoch, or of other terms in this one, is refused. Default 1.
   */
  readonly epoch?: number;
  /**
   * Whether this node also serves clients that its network does not name, where its protocol has
   * such: `leasedMajority({ servers })`. The transport must admit them. Default false.
   */
  readonly clients?: boolean;
  /**
   * Until it is admitted, a node reports for whom it waits, by the error `timed-out`: after so many
   * milliseconds, then after twice as long each time, up to an hour. Default 5000.
   */
  readonly reportWaitAfter?: number;
  /** Default: real time. */
  readonly clock?: Pick<Clock, 'setTimeout' | 'clearTimeout'>;
  /**
   * Answers the node's `choose` effects; a random draw gives its weights. Default: any option,
   * as likely as its weight says, or equally likely.
   */
  readonly choose?: (options: readonly Json[], weights?: readonly number[]) => Json;
  /** Called with each error while `errors$` has no subscriber. Default: a line by `console.error`. */
  readonly onError?: (error: ConclaveError) => void;
  /** Where each step is written, for `conform`. Handed over, as the transport. Default: nowhere. */
  readonly journal?: Journal;
  /**
   * The steps that XState repeats: one in 1,000 (`sample`, the default), or `all`. A node that
   * differs stops with the error `diverged`, before it sends anything of that step.
   */
  readonly confirm?: 'sample' | 'all';
  /**
   * XState's own inspection. The node then runs as an XState actor, not on compiled steps. Default:
   * none.
   */
  readonly inspect?: (event: InspectionEvent) => void;
};

/**
 * A node that runs in this application. It takes no command before it is admitted, see
 * {@link Embedded.admitted}.
 */
export interface Embedded<C extends Command = Command> extends AsyncDisposable {
  readonly id: NodeId;
  /** Which start of this node it is: larger than at each earlier one. */
  readonly incarnation: number;
  /**
   * Resolves when the node has started.
   * @throws {ConclaveError} `refused` where its peers do not admit it; `closed` before it was.
   */
  readonly admitted: Promise<void>;
  /**
   * Why the others do not let it take part, for good: not at all, or no longer. Undefined while it
   * takes part or waits, and where it was closed otherwise.
   */
  readonly refusal: ConclaveError | undefined;
  /** The nodes that have not admitted it yet; empty once it is admitted. */
  readonly awaited: readonly NodeId[];
  /**
   * A snapshot, which later steps do not change. Until the node is admitted: its first state,
   * without tags.
   */
  readonly state: NodeView;
  /**
   * The present state and each later one; completes when the node is closed or its machine fails.
   */
  readonly state$: Observable<NodeView>;
  readonly notifications$: Observable<Message>;
  /**
   * Errors of other nodes or of the protocol: a message that is unknown or that the state does not
   * handle, a failing machine.
   */
  readonly errors$: Observable<ConclaveError>;
  /** Whether the present state takes commands like `command`. */
  takes(command: C): boolean;
  /**
   * Fires the timers that are late, as each command and message does before it is taken. After a
   * pause of the process, the application may run before the event loop fires them.
   */
  settle(): void;
  /**
   * By armed timer: the milliseconds until it is due, by the node's clock; less than 0 where it is
   * late. Empty where the clock has no `now`.
   */
  readonly timers: ReadonlyMap<string, number>;
  /**
   * A node whose transport loses nothing stops where a message cannot be sent.
   *
   * @throws {ConclaveError} `bad-input`: no command of the protocol; `unhandled`: not in this
   * state; `closed`, also where the node has to stop; `bad-protocol`: the machine fails.
   */
  send(command: C): void;
  /** Stops the node for good and closes its transport. To the other nodes this is a crash. */
  close(): Promise<void>;
}

/**
 * The network; or, where it is complete, all nodes, or the other ones. With `nodes`, a wrong name
 * of this node is an error.
 */
export type Surroundings =
  | { readonly topology: Topology; readonly nodes?: never; readonly peers?: never }
  | { readonly nodes: readonly NodeId[]; readonly topology?: never; readonly peers?: never }
  | { readonly peers: readonly NodeId[]; readonly topology?: never; readonly nodes?: never };

/**
 * The network that node `self` is part of.
 * @throws {ConclaveError} `bad-input` when it is missing, given twice, or does not contain `self`.
 */
export function surroundingsOf(self: NodeId, { topology, nodes, peers }: Surroundings): Topology {
  const given = [topology, nodes, peers].filter((one) => one !== undefined).length;
  const cure = 'Give peers: the ids of the other nodes; or nodes: those of all; or a topology.';
  if (given !== 1)
    throw badInput(
      `Node ${self} has ${given === 0 ? 'no network' : 'more than one network'}`,
      cure,
    );
  const network = topology ?? complete([...new Set(nodes ?? [self, ...(peers ?? [])])].sort());
  if (!network.has(self))
    throw badInput(
      `Node ${self} is none of the nodes ${network.nodes.join(', ')}`,
      'Give it the name of one of them.',
    );
  return network;
}

/** The same. @throws {ConclaveError} also `bad-topology` when it is not what `protocol` needs. */
export function networkOf(protocol: Protocol, self: NodeId, surroundings: Surroundings): Topology {
  const network = surroundingsOf(self, surroundings);
  requireTopology(protocol, network);
  return network;
}

/**
 * Compares the guarantees of `transport` with what `protocol` assumes of its channels.
 *
 * @throws {ConclaveError} `assumption`, naming each missing guarantee.
 */
export function requireGuarantees(protocol: Protocol, { guarantees }: Transport): void {
  const { channels, crashNotice } = protocol;
  if (channels.sameProcess)
    throw new ConclaveError(
      'assumption',
      `${protocol.title} has machines that run in one process, and a transport joins processes`,
      'Run the machine by XState: what it invokes runs inside it.',
    );
  if (crashNotice !== undefined && guarantees.crashes !== 'reported')
    throw new ConclaveError(
      'assumption',
      `${protocol.title} assumes a network that reports crashes ('${crashNotice}'), and the transport does not`,
      'Take an option of the protocol with a failure detector of its own, if it has one.',
    );
  const missing = [
    ...(channels.order === 'fifo' && guarantees.order === 'any' ? ['reorder'] : []),
    ...(!channels.loss && guarantees.loss ? ['lose'] : []),
    ...(!channels.duplication && guarantees.duplication ? ['duplicate'] : []),
  ];
  if (missing.length === 0) return;
  throw new ConclaveError(
    'assumption',
    `${protocol.title} assumes channels that never ${missing.join(' or ')} messages, but the transport may`,
    'Wrap it: reliable(transport), from @conclave/core/embedding.',
  );
}

/**
 * @throws {ConclaveError} `bad-input` where the transport was not told the name of a neighbour, or,
 * where nodes admit each other, of any node.
 */
export function requirePeers(topology: Topology, transport: Transport): void {
  const { self, peers, guarantees } = transport;
  if (!peers) return;
  const missing = topology.nodes.filter(
    (id) => id !== self && !peers.includes(id) && (guarantees.restarts || topology.link(self, id)),
  );
  if (missing.length > 0)
    throw badInput(
      `The transport of node ${self} has no peer ${missing.join(', ')}: its peers are ${peers.join(', ') || 'none'}`,
      'Name all other nodes as peers of the transport.',
    );
}

/**
 * A node that comes back without its stable fields breaks what it promised before.
 *
 * @throws {ConclaveError} `assumption` where nodes may come back, the node has stable fields, and
 * there is no storage for them.
 */
export function requireStorage(
  protocol: Protocol,
  topology: Topology,
  {
    self,
    transport,
    storage,
  }: { readonly self: NodeId; readonly transport: Transport; readonly storage?: StableStorage },
): void {
  const { stable = [] } = roleOf(protocol, self, topology);
  if (
    storage ||
    stable.length === 0 ||
    !protocol.tolerates?.includes('restart') ||
    transport.guarantees.restarts !== true
  )
    return;
  throw new ConclaveError(
    'assumption',
    `${protocol.title} keeps ${stable.join(', ')} on stable storage, and node ${self}, which may come back as a new process, has none`,
    "Give it storage: fileStorage('data/a'), from @conclave/core/embedding/node.",
  );
}

/**
 * @throws {ConclaveError} `bad-input` where the protocol measures a time that is too short for
 * timers of real time.
 */
export function requireTimes({ title, times = {} }: Protocol): void {
  for (const [option, { ms, least }] of Object.entries(times))
    if (ms < least)
      throw badInput(
        `${title}: ${option} is ${ms} ms, and timers of real time keep ${least} ms or more`,
        `Give a longer ${option}; where time is not real, give embed its clock.`,
      );
}
