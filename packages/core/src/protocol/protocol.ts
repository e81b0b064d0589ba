import type { AnyStateMachine } from 'xstate';
import type { Topology } from '../topology/topology.js';
import { ConclaveError } from './error.js';
import { boundMicrosteps } from './microsteps.js';
import type { Command, Json, Message, NodeId } from './node.js';
import type { NodeView, Property } from './property.js';
import type { Permutation } from './symmetry.js';

/** What a message or command carries and means; `fields` in the order the trace prints them. */
export interface Shape {
  readonly fields?: readonly string[];
  readonly meaning: string;
}

/** A command is a `wish` the application may never have (bounded by a budget), or a `duty` it always fulfils in the end. */
export interface CommandShape extends Shape {
  readonly kind: 'optional' | 'obligatory';
  /**
   * The states in which the command may come: a wish at any moment while this is true of the node; a duty once each time that this comes to be true. The
   * machine must take it there. Needed for a duty. A wish without it comes only where the machine takes it.
   *
   * @example when: ({ tags }) => tags.has('critical') // release
   */
  readonly when?: (node: NodeView) => boolean;
  /** For a wish with fields: what it may carry. Where they are told nothing else, workloads give any of these, and the explorer the first. */
  readonly examples?: readonly Readonly<Record<string, Json>>[];
}

/** The network a protocol runs on. */
export interface TopologyNeed {
  /** Such as `complete` or `one-way ring`. */
  readonly name: string;
  /** Why `topology` will not do, as the end of a sentence; undefined when it will. */
  readonly refuses: (topology: Topology) => string | undefined;
  /** A fitting network of `n` nodes. */
  readonly example: (n: number) => Topology;
  /** The fitting logical network over a connected physical one. */
  readonly overlay: (physical: Topology) => Topology;
}

/** What the channels may do without harm to the protocol. */
export interface ChannelAssumptions {
  /** `fifo`: each channel must keep its order; `any`: it need not. */
  readonly order: 'fifo' | 'any';
  /** Whether messages may be lost, or come twice. */
  readonly loss: boolean;
  readonly duplication: boolean;
  /** `bounded`: messages take a bounded time, by which the protocol's timers go. Default `untimed`. */
  readonly time?: 'untimed' | 'bounded';
}

/** What one entry into the critical section, or one election, costs in messages. */
export interface Cost {
  readonly per: 'entry' | 'election' | 'run';
  /** As the literature prints it: `2(n−1)`. */
  readonly formula: string;
  /** Messages for `n` nodes: exact where both are equal, otherwise bounds. */
  readonly messages: (n: number) => { readonly least: number; readonly most: number };
}

/** One kind of node: its statechart, and what a node is told at its start. */
export interface Role {
  readonly machine: AnyStateMachine;
  /** Whom node `self` knows. */
  readonly input: (self: NodeId, topology: Topology) => Json;
  /** The context fields on stable storage, such as `epoch`, or `part.epoch`: a restart hands them to the machine as part of its input. Default: none. */
  readonly stable?: readonly string[];
}

/** What {@link defineProtocol} is given. */
export interface ProtocolDefinition<M extends Message, C extends Command> {
  /** The catalogue's id, such as `A3`; a protocol of one's own needs none. */
  readonly id?: string;
  /** In kebab-case: what the command line and traces call it. */
  readonly name: string;
  readonly title: string;
  readonly problem: string;
  /** Author, journal, year, section. */
  readonly citation: string;
  /** The options it was made with, where it has any; enough to make it again. */
  readonly options?: Readonly<Record<string, Json>>;
  readonly topology: TopologyNeed;
  readonly channels: ChannelAssumptions;
  readonly roles: Readonly<Record<string, Role>>;
  /** Which role a node plays; not needed where there is one. */
  readonly roleOf?: (node: NodeId, topology: Topology) => string;
  readonly messages: Readonly<Record<M['type'], Shape>>;
  readonly commands: Readonly<Record<C['type'], CommandShape>>;
  readonly properties: readonly Property[];
  readonly cost?: Cost;
  /**
   * Of a node in its critical section: the fencing token of this entry, a number larger than at every entry before. A store that remembers the
   * largest it has seen can turn away a holder that has been overtaken.
   */
  readonly fence?: (node: NodeView) => number;
  /** For a `fence` whose growth is not among the properties: the condition under which it grows, as the end of the sentence 'the token grows …'. */
  readonly fenceCondition?: string;
  /**
   * Whether a node waits for others: where nothing can happen any more, no node may. Default: where it is tagged `waiting`. `false`: no node ever
   * waits, and deadlock need not be looked for.
   */
  readonly waiting?: ((node: NodeView) => boolean) | false;
  /**
   * Its messages never come to an end, as a token's that goes round and round. A simulation is over, then, when the application has nothing
   * more to do and no node waits.
   */
  readonly perpetual?: boolean;
  /**
   * Permutations of nodes that make no difference to what can happen, for the explorer's reduction; those that they generate are meant, too.
   * Not for machines that compare ids or keep nodes in an order of ids.
   *
   * @example symmetry: ({ nodes }) => interchangeable(nodes.slice(1)) // the leaves of a star
   */
  readonly symmetry?: (topology: Topology) => readonly Permutation[];
}

/** A protocol that has passed the checks of {@link defineProtocol}. */
export interface Protocol<M extends Message = Message, C extends Command = Command>
  extends Omit<ProtocolDefinition<M, C>, 'messages' | 'commands' | 'roleOf'> {
  readonly roleOf: (node: NodeId, topology: Topology) => string;
  readonly messages: Readonly<Record<string, Shape>>;
  readonly commands: Readonly<Record<string, CommandShape>>;
  /** The type of its messages and commands, for the compiler only. */
  readonly types?: { readonly message: M; readonly command: C };
}

/**
 * The role that node `id` plays in `topology`.
 *
 * @throws {ConclaveError} `bad-protocol` where the protocol's `roleOf` names no role.
 */
export function roleOf(protocol: Protocol, id: NodeId, topology: Topology): Role & { readonly name: string } {
  const name = protocol.roleOf(id, topology);
  const role = Object.hasOwn(protocol.roles, name) ? protocol.roles[name] : undefined;
  if (!role)
    throw new ConclaveError(
      'bad-protocol',
      `Protocol '${protocol.name}': roleOf(${id}) is '${name}', which is not one of its roles`,
      `It has ${Object.keys(protocol.roles).join(', ')}.`,
    );
  boundMicrosteps(role.machine);
  return { ...role, name };
}
