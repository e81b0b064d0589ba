import type { AnyStateMachine, InputFrom } from 'xstate';
import type { Topology } from '../topology/topology.js';
import { checkProtocol } from './check.js';
import { boundMicrosteps } from './microsteps.js';
import { namesOf } from './names.js';
import type { Command, Json, Message, NodeId } from './node.js';
import type { NodeView, Property } from './property.js';
import type { Permutation } from './symmetry.js';

/** What a message or command carries and means; `fields` in the order the trace prints them. */
export interface Shape<F extends string = string> {
  readonly fields?: readonly F[];
  readonly meaning: string;
}

/** A command is a `wish` the application may never have (bounded by a budget), or a `duty` it always fulfils in the end. */
export interface CommandShape<F extends string = string> extends Shape<F> {
  readonly kind: 'optional' | 'obligatory';
  /**
   * The states in which the command may come: a wish at any moment while this is true of the node; a duty once each time that this comes to be true. The
   * machine must take it there. Needed for a duty. A wish without it comes only where the machine takes it.
   *
   * @example when: ({ tags }) => tags.has('critical') // release
   */
  readonly when?: (node: NodeView) => boolean;
  /** For a wish with fields: what it may carry. Where they are told nothing else, workloads give any of these, and the explorer the first. */
  readonly examples?: readonly Readonly<Record<F, Json>>[];
}

/** The fields of the messages, or commands, of one type; any where the type lists none. */
type FieldOf<E extends Message, T> = OrAny<Exclude<keyof Extract<E, { readonly type: T }> & string, 'type'>>;
type OrAny<F extends string> = [F] extends [never] ? string : F;

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

/**
 * A role whose `input` the compiler holds against what its machine takes.
 *
 * @example roles: { player: role({ machine, input: (self, ring) => ({ next: ring.successors(self)[0] ?? self }) }) }
 */
export function role<S extends AnyStateMachine>(
  made: Role & { readonly machine: S; readonly input: (self: NodeId, topology: Topology) => InputFrom<S> },
): Role {
  return made;
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
  readonly messages: { readonly [T in M['type']]: Shape<FieldOf<M, T>> };
  readonly commands: { readonly [T in C['type']]: CommandShape<FieldOf<C, T>> };
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
 * Ties statechart(s), messages, network, assumptions and properties together, and checks that they fit.
 *
 * @throws {ConclaveError} `bad-protocol`: a machine that invokes or spawns actors or acts by plain functions, a context that is not plain
 * data, an unknown target or event, a message that is handled nowhere.
 */
export function defineProtocol<M extends Message, C extends Command>(definition: ProtocolDefinition<M, C>): Protocol<M, C> {
  const [onlyRole, ...moreRoles] = Object.keys(definition.roles);
  const protocol: Protocol<M, C> = {
    ...definition,
    roleOf: definition.roleOf ?? (() => onlyRole ?? ''),
  };
  checkProtocol(protocol, definition.roleOf !== undefined || moreRoles.length === 0);
  return protocol;
}

/** The role node `id` plays in `topology`. */
export function roleOf(protocol: Protocol, id: NodeId, topology: Topology): Role & { readonly name: string } {
  const name = protocol.roleOf(id, topology);
  const role = protocol.roles[name];
  if (!role) throw new Error(`unreachable: role '${name}' was checked by requireTopology`);
  boundMicrosteps(role.machine);
  return { ...role, name };
}

const waitsByTag = ({ tags }: NodeView): boolean => tags.has('waiting');

/** Whether a node waits, as the protocol says it, or by the tag `waiting`; undefined where it says neither. */
export function waitingOf(protocol: Protocol): ((node: NodeView) => boolean) | undefined {
  if (protocol.waiting !== undefined) return protocol.waiting || undefined;
  return namesOf(protocol).tags.has('waiting') ? waitsByTag : undefined;
}
