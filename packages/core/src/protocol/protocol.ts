import type { AnyStateMachine, InputFrom } from 'xstate';
import { ConclaveError } from '../base/error.js';
import type { TopologyNeed } from '../topology/needs.js';
import type { Topology } from '../topology/topology.js';
import type { ChannelFaults } from './faults.js';
import type { History } from './history.js';
import type { Command, Json, Message, NodeId } from './node.js';
import type { NodeStep, NodeView, Property } from './property.js';
import { boundMicrosteps } from './regions.js';
import type { TimeModel } from './time.js';

/** What a message or command carries and means; `fields` in the order the trace prints them. */
export interface Shape<F extends string = string> {
  readonly fields?: readonly F[];
  /** Which of the fields may be absent: a trace prints `-` there. Default: none. */
  readonly optionalFields?: readonly F[];
  /**
   * Which of the fields are counters, such as ballots, terms, time stamps and sequence numbers:
   * whole numbers from 0 to 2^53 − 1. `next.ballot` is in a part of the field `next`, `served.*` is
   * each item of a list or record; a part that is null has none. `level?` may itself be null.
   * A machine that sends anything else breaks the node contract. An embedded node refuses what
   * arrives, by the error `bad-input`, also where a counter is more than 2^38 above the largest
   * that it has stored at its start, sent or taken. Default: none.
   */
  readonly counters?: readonly (F | `${F}?` | `${F}.${string}`)[];
  readonly meaning: string;
}

/** The fields of the messages, or commands, of one type; any where the type lists none. */
export type FieldOf<E extends Message, T> =
  Exclude<keyof Extract<E, { readonly type: T }> & string, 'type'> extends infer F extends string
    ? [F] extends [never]
      ? string
      : F
    : never;

/** One kind of node: its statechart, and the input of a node. */
export interface Role {
  readonly machine: AnyStateMachine;
  /** The input of node `self`: what it knows at the start, such as its neighbours. */
  readonly input: (self: NodeId, topology: Topology) => Json;
  /**
   * The context fields on stable storage, such as `epoch`, or `part.epoch`: a restart hands them to
   * the machine as part of its input. Default: none.
   */
  readonly stable?: readonly string[];
  /**
   * Which of the stable fields are counters, named as in a {@link Shape}, behind the names in
   * `stable`. A node whose storage has anything else there does not start. Default: none.
   */
  readonly counters?: readonly string[];
}

/**
 * A role whose `input` the compiler holds against what its machine takes.
 *
 * @example roles: { player: role({ machine, input: (self, ring) => ({ next:
 * ring.successors(self)[0] ?? self }) }) }
 */
export function role<S extends AnyStateMachine>(
  made: Role & {
    readonly machine: S;
    readonly input: (self: NodeId, topology: Topology) => InputFrom<S>;
  },
): Role {
  return made;
}

/** The argument of {@link defineProtocol}. */
export interface ProtocolDefinition<M extends Message, C extends Command> {
  /** The catalogue's id, such as `A3`; your own protocol needs none. */
  readonly id?: string;
  /** In kebab-case: its name in the command line and in traces. */
  readonly name: string;
  readonly title: string;
  readonly problem: string;
  /** Author, journal, year, section. */
  readonly citation: string;
  /** The options that it was made with, enough to make it again. */
  readonly options?: Readonly<Record<string, Json>>;
  /**
   * By option: the milliseconds that its timers measure, and the least that timers of real time can
   * keep. A node is not embedded with less, unless it has a clock of its own. Exploration and
   * simulation take any time.
   */
  readonly times?: Readonly<Record<string, { readonly ms: number; readonly least: number }>>;
  /**
   * Raised where a message means something else than before though its fields are the same: embedded
   * nodes of two versions refuse each other. Other changes, such as repairs, leave it alone, so that
   * nodes can be upgraded one after the other. Default: none.
   */
  readonly version?: number;
  readonly topology: TopologyNeed;
  /** What the protocol tolerates of its channels. */
  readonly channels: ChannelFaults<boolean> & {
    /** `fifo`: each channel must keep its order; `any`: it need not. */
    readonly order: 'fifo' | 'any';
    /** How many messages of a run may be lost, where `loss`. Default: any number. */
    readonly losses?: number;
    /**
     * Exact time, if the protocol's timers rely on bounds: those under which it is right. Default
     * `untimed`.
     */
    readonly time?: TimeModel;
    /**
     * Whether two nodes are in one process, as an invoked statechart and its parent: what one sends
     * the other is lost by no channel, and taken before anything else happens. Default: none are.
     */
    readonly sameProcess?: (from: NodeId, to: NodeId) => boolean;
  };
  readonly roles: Readonly<Record<string, Role>>;
  /** The role of a node; not needed where there is one role. */
  readonly roleOf?: (node: NodeId, topology: Topology) => string;
  readonly messages: {
    readonly [T in M['type']]: Shape<FieldOf<M, T>>;
  };
  /**
   * A command is `optional`: the application may never issue it, and a budget bounds it; or
   * `obligatory`: the application issues it eventually.
   */
  readonly commands: {
    readonly [T in C['type']]: Shape<FieldOf<C, T>> & {
      readonly kind: 'optional' | 'obligatory';
      /**
       * The states in which the command may come: an optional one at any moment while this holds for
       * the node, an obligatory one once each time that it starts to hold. The machine must handle it
       * there. An obligatory command needs it; an optional one without it comes where the machine
       * handles it.
       *
       * @example when: ({ tags }) => tags.has('critical') // release
       */
      readonly when?: (node: NodeView) => boolean;
      /**
       * For a command with fields: their values. By default, workloads draw one of these, and the
       * explorer tries them all.
       */
      readonly examples?: readonly Readonly<Record<FieldOf<C, T>, Json>>[];
    };
  };
  readonly properties: readonly Property[];
  /**
   * The type of the message, without fields, that each neighbour of a node gets from the network
   * when the node crashes, on the channel from that node: a perfect failure detector (class P of
   * Chandra and Toueg 1996), as a connection that breaks is one. Under `fifo` it comes behind what
   * the node sent before. Channels must neither lose nor duplicate, and the network must not split.
   */
  readonly crashNotice?: string;
  /**
   * The faults of nodes under which its safety properties hold: `crash`, and `restart`: a crashed
   * node comes back with its stable fields. Each is held by exploration. Where `restart` is
   * missing, an embedded node that comes back is refused by its peers. Default: none.
   */
  readonly tolerates?: readonly ('crash' | 'restart')[];
  /**
   * What promises mean in the next epoch, of other nodes or options: each node has stopped, and
   * starts with what all of them have promised. Without it, embedded nodes with stable fields keep
   * their first epoch.
   */
  readonly succession?: {
    /**
     * For how many milliseconds a promise binds the node that made it, by its own clock. It takes
     * part in the next epoch after that time.
     */
    readonly bindsFor: number;
    /**
     * The stable fields of each node in the next epoch that are others than it had, from the fields
     * that all its nodes had.
     */
    readonly fields: (
      kept: readonly Readonly<Record<string, Json>>[],
    ) => Readonly<Record<string, Json>>;
  };
  /**
   * For a protocol whose nodes serve others that their network does not name: the role of those
   * nodes, and the types of the messages that clients send. A client is the last node of a network
   * of those nodes and itself, and no two processes have one name. Channels may lose and duplicate.
   */
  readonly clients?: { readonly servedBy: string; readonly messages: readonly string[] };
  /**
   * Of a protocol that was made from the statecharts of an application, by {@link machineProtocol} or
   * {@link system}: these, by role. They are drawn in place of those of the roles, and its network is
   * the only one.
   */
  readonly drawn?: Readonly<Record<string, AnyStateMachine>>;
  /** What each verdict rests on beside the budget; each text goes on behind 'It assumes'. */
  readonly assumes?: readonly string[];
  /** What one entry into the critical section, one election, or one wave costs in messages. */
  readonly cost?: {
    /**
     * An election ends where a node becomes the leader; an initiator is a node that is told to
     * start one.
     */
    readonly per:
      | 'entry'
      | 'election'
      | 'initiator'
      | 'wave'
      | 'multicast'
      | 'transaction'
      | 'snapshot'
      | 'detection'
      | 'ballot'
      | 'period'
      | 'run';
    /**
     * The command that begins each of them: how many there are in a run is the number of these
     * commands. Default: entries and elections are counted.
     */
    readonly command?: string;
    /** The types of the messages that count, where others belong to the start-up. Default: all. */
    readonly of?: readonly string[];
    /** As the literature prints it: `2(n−1)`. */
    readonly formula: string;
    /** Goes on behind 'messages per entry', such as 'on average'. */
    readonly remark?: string;
    /**
     * Messages for `n` nodes: exact where both are equal, otherwise bounds. Of `topology` if given,
     * otherwise over all networks of `n` nodes.
     */
    readonly messages: (
      n: number,
      topology?: Topology,
    ) => { readonly least: number; readonly most: number };
    /** The expected number for `n` nodes, where `formula` is one of the average. */
    readonly average?: (n: number) => number;
  };
  /**
   * What else a run may cost than messages, steps and time, by name: what each step of a node adds,
   * a whole number. `expected` computes it.
   *
   * @example rewards: { draws: ({ cause }) => (cause.kind === 'choice' ? 1 : 0) }
   */
  readonly rewards?: Readonly<Record<string, (step: NodeStep) => number>>;
  /**
   * The fencing token of a node in its critical section: a number larger than at every entry
   * before. A store that remembers the largest token can refuse a holder that has been overtaken.
   */
  readonly fence?: (node: NodeView) => number;
  /**
   * For a `fence` whose growth is not among the properties: the condition under which it grows, as
   * the end of the sentence 'the token grows …'.
   */
  readonly fenceCondition?: string;
  /**
   * For locks with a lease: the states, as `parent.child`, of whose timers one must run for a node
   * to stay in its critical section. How long the last of them still runs is how long the node has
   * the lock, unless it renews it.
   */
  readonly leases?: (node: NodeView) => readonly string[];
  /** The least fencing token that an entry may still have, as far as this node knows. */
  readonly floor?: (node: NodeView) => number;
  /**
   * Whether a node waits for others: in a quiescent state, no node may. Default: where it is tagged
   * `waiting`. `false`: no node ever waits, and there is no deadlock to look for.
   */
  readonly waiting?: ((node: NodeView) => boolean) | false;
  /**
   * The nodes for whose answer, or token, a waiting node waits; for messages to a user. Leave it
   * out where the node's state does not tell.
   */
  readonly waitsFor?: (node: NodeView, topology: Topology) => readonly NodeId[];
  /**
   * What a node knows of the other nodes that are in their critical sections, or wait. Leave it out
   * where it knows of none.
   */
  readonly contenders?: (node: NodeView) => {
    /** In their critical sections. */
    readonly inside: readonly NodeId[];
    /** In the order in which they enter, where the node knows it. */
    readonly waiting: readonly NodeId[];
  };
  /**
   * Its messages never end, such as those of a token that circulates forever. A simulation of it
   * ends when the application has nothing left to do and no node waits.
   */
  readonly perpetual?: boolean;
  /**
   * What properties remember about the past of each node. The machines do not see it. Default:
   * nothing.
   */
  readonly history?: History;
}

/** A protocol that has passed the checks of {@link defineProtocol}. */
export interface Protocol<C extends Command = Command>
  extends Omit<ProtocolDefinition<Message, C>, 'messages' | 'commands' | 'roleOf'> {
  readonly roleOf: (node: NodeId, topology: Topology) => string;
  readonly messages: Readonly<Record<string, Shape>>;
  readonly commands: ProtocolDefinition<Message, Command>['commands'];
  /** The type of its commands, for the compiler only. */
  readonly types?: { readonly command: C };
}

export type CommandShape = Protocol['commands'][string];

/** A protocol whose entries have fencing tokens, such as each of `mutual-exclusion`. */
export interface FencedProtocol<C extends Command = Command> extends Protocol<C> {
  readonly fence: NonNullable<Protocol['fence']>;
}

/**
 * The role that node `id` plays in `topology`.
 * @throws {ConclaveError} `bad-protocol` where the protocol's `roleOf` names no role.
 */
export function roleOf(
  protocol: Protocol,
  id: NodeId,
  topology: Topology,
): Role & { readonly name: string } {
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
