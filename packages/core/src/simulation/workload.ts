import { badInput } from '../base/error.js';
import type { Random } from '../base/random.js';
import type { Delay } from '../channel/conditions.js';
import { command as commandSchema } from '../options/shapes.js';
import { loopOptions, oneShotOptions, poissonOptions } from '../options/simulation.js';
import { optionalCommands } from '../protocol/commands.js';
import type { Command, NodeId } from '../protocol/node.js';
import type { NodeView } from '../protocol/property.js';
import type { Protocol } from '../protocol/protocol.js';
import { checkOptions } from '../schema/check.js';

/** The reaction of an application that looks at no node. */
export const ignoring = (): void => {};

const byTags = new WeakSet<(node: NodeView) => void>();

/**
 * Whether a reaction looks at tags and crashes only: a step that changes neither need not be shown
 * to it.
 */
export const reactsToTags = (react: (node: NodeView) => void): boolean =>
  react === ignoring || byTags.has(react);

/**
 * What the application does: called once for a run, with the nodes, and how to act on them later;
 * the result is called after each step of each node.
 */
export type Workload = (application: {
  readonly nodes: readonly NodeView[];
  readonly random: Random;
  /** The commands of a type: the bare command, or where it has fields, the protocol's examples. */
  examples(type: string): readonly Command[];
  /** The nodes whose role takes a command of this type in some state. */
  nodesAccepting(type: string): readonly NodeId[];
  /** Calls `act` after `delay` of virtual time. */
  later(delay: Delay, act: () => void): void;
  /** Gives a node a command; a crashed node ignores it. */
  tell(id: NodeId, command: Command): void;
}) => (node: NodeView) => void;

export type Application = Parameters<Workload>[0];

export interface LoopOptions {
  /** Entries per node. Default 1. */
  readonly entries?: number;
  /** Time between an exit and the next request. Default exponential, mean 20 ms. */
  readonly think?: Delay;
  /** Time in the critical section. Default fixed 5 ms. */
  readonly hold?: Delay;
  /** The nodes that compete. Default all nodes whose role accepts the command. */
  readonly nodes?: readonly NodeId[];
  /**
   * The commands of which one is drawn for each request. Default `acquire`, or the protocol's
   * examples of it.
   */
  readonly inputs?: readonly Command[];
}

const acquire = { type: 'acquire' };
const release = { type: 'release' };

/** Commands of one type, of which one is drawn. */
type Commands = readonly [Command, ...Command[]];

/** One of `commands`; nothing is drawn where there is only one. */
const drawn = ({ random }: Application, commands: Commands): Command =>
  commands.length > 1 ? random.pick(commands) : commands[0];

/** Lets a node request entry by one of `commands`. */
function requester(
  application: Application,
  commands: readonly Command[] = application.examples(acquire.type),
): (id: NodeId) => void {
  const [first = acquire, ...others] = commands;
  return (id) => application.tell(id, drawn(application, [first, ...others]));
}

/** Each node thinks, requests entry, holds, leaves, and thinks again: `entries` times. */
export function closedLoop(options: LoopOptions = {}): Workload {
  checkOptions('closedLoop', loopOptions, options);
  const {
    entries = 1,
    think = { kind: 'exponential', mean: 20 },
    hold = { kind: 'fixed', ms: 5 },
  } = options;
  return (application) => {
    const left = new Map<NodeId, number>();
    const inside = new Set<NodeId>();
    const tell = requester(application, options.inputs);
    const command = (id: NodeId) => {
      const remaining = left.get(id) ?? 0;
      if (remaining === 0) return;
      left.set(id, remaining - 1);
      application.later(think, () => tell(id));
    };
    for (const id of chosen(application, acquire, options.nodes)) {
      left.set(id, entries);
      command(id);
    }
    return holding(application, hold, inside, (node) => command(node.id));
  };
}

/**
 * Requests arrive as a Poisson process at each node; a request that arrives while the node is busy
 * is queued there.
 */
export function poisson(
  options: Pick<LoopOptions, 'hold' | 'nodes' | 'inputs'> & {
    /** Mean time between the requests of one node, in ms. */
    readonly mean: number;
    /** Requests per node. Default 10. */
    readonly entries?: number;
  },
): Workload {
  checkOptions('poisson', poissonOptions, options);
  const { mean, entries = 10, hold = { kind: 'fixed', ms: 5 }, nodes, inputs } = options;
  return (application) => {
    const backlog = new Map<NodeId, number>();
    const busy = new Set<NodeId>();
    const inside = new Set<NodeId>();
    const tell = requester(application, inputs);
    const serve = (id: NodeId) => {
      const waiting = backlog.get(id) ?? 0;
      if (waiting === 0 || busy.has(id)) return;
      backlog.set(id, waiting - 1);
      busy.add(id);
      tell(id);
    };
    const arrive = (id: NodeId, left: number) => {
      if (left === 0) return;
      application.later({ kind: 'exponential', mean }, () => {
        backlog.set(id, (backlog.get(id) ?? 0) + 1);
        serve(id);
        arrive(id, left - 1);
      });
    };
    for (const id of chosen(application, acquire, nodes)) arrive(id, entries);
    return holding(application, hold, inside, ({ id }) => {
      busy.delete(id);
      application.later({ kind: 'fixed', ms: 0 }, () => serve(id));
    });
  };
}

/**
 * One command, given once to each of `nodes` (default: all whose role accepts it), each after its
 * own delay (default: at once).
 */
export function oneShot(
  command: Command,
  options: { readonly nodes?: readonly NodeId[]; readonly after?: Delay } = {},
): Workload {
  checkOptions('oneShot', commandSchema, command);
  checkOptions('oneShot', oneShotOptions, options);
  const { after = { kind: 'fixed', ms: 0 } } = options;
  return (application) => {
    for (const id of chosen(application, command, options.nodes))
      application.later(after, () => application.tell(id, command));
    return ignoring;
  };
}

/** The application issues no command. */
export const idle: Workload = () => ignoring;

/**
 * The application issues no command. A run of a perpetual protocol lasts `ms`; with nothing to come
 * it would end at once.
 */
export const idleFor =
  (ms: number): Workload =>
  (application) => {
    application.later({ kind: 'fixed', ms }, () => {});
    return ignoring;
  };

/** A node that becomes `critical` holds for a while and leaves; then `left` is called. */
function holding(
  application: Application,
  hold: Delay,
  inside: Set<NodeId>,
  left: (node: NodeView) => void,
): (node: NodeView) => void {
  const react = (node: NodeView) => {
    const critical = !node.crashed && node.tags.has('critical');
    if (critical === inside.has(node.id)) return;
    if (critical) {
      inside.add(node.id);
      application.later(hold, () => {
        if (inside.has(node.id)) application.tell(node.id, release);
      });
    } else {
      inside.delete(node.id);
      if (!node.crashed) left(node);
    }
  };
  byTags.add(react);
  return react;
}

function chosen(
  application: Application,
  { type }: Command,
  nodes: readonly NodeId[] | undefined,
): readonly NodeId[] {
  if (nodes) {
    requireKnown(application, nodes);
    return nodes;
  }
  const accepting = application.nodesAccepting(type);
  // a command that no node accepts is a mistake, and shows as an unhandled command
  return accepting.length > 0 ? accepting : application.nodes.map(({ id }) => id);
}

function requireKnown(application: Application, nodes: readonly NodeId[]): void {
  const known = new Set(application.nodes.map(({ id }) => id));
  const unknown = nodes.find((id) => !known.has(id));
  if (unknown === undefined) return;
  throw badInput(
    `The workload names the node '${unknown}', which the network does not have`,
    `It has ${[...known].slice(0, 12).join(', ')}.`,
  );
}

/**
 * What the application of a protocol usually does. Competitors enter the critical section `entries`
 * times each. In any other protocol each node that may get the first optional command gets it once,
 * at once; or each of `nodes`. Of a command with fields, each gets one of its examples, which is
 * drawn. Without optional commands nothing is commanded.
 *
 * @throws {ConclaveError} `bad-input` for invalid options.
 * @example simulate({ protocol, topology, workload: usualWorkload(protocol) })
 */
export function usualWorkload(
  protocol: Protocol,
  {
    lasts = 1000,
    ...options
  }: LoopOptions & {
    /**
     * Of a perpetual protocol without optional commands: how long it runs, in virtual
     * milliseconds. Default 1000.
     */
    readonly lasts?: number;
  } = {},
): Workload {
  const { nodes, inputs } = options;
  if ('acquire' in protocol.commands && 'release' in protocol.commands) return closedLoop(options);
  const [first, ...others] = inputs ?? optionalCommands(protocol);
  if (first !== undefined) {
    const commands: Commands = [first, ...others.filter(({ type }) => type === first.type)];
    return nodes ? toEach(nodes, commands) : toAll(protocol, commands);
  }
  return protocol.perpetual ? idleFor(lasts) : idle; // its messages never end
}

/** Gives one of `commands` at once to each of `nodes`. */
const toEach =
  (nodes: readonly NodeId[], commands: Commands): Workload =>
  (application) => {
    for (const id of nodes) oneShot(drawn(application, commands), { nodes: [id] })(application);
    return ignoring;
  };

/**
 * Gives one of `commands` at once to each node that accepts it, and that may get it now: no
 * multicast to a node that is no member yet.
 */
function toAll(protocol: Protocol, commands: Commands): Workload {
  const [{ type }] = commands;
  const { when = () => true } = protocol.commands[type] ?? {};
  return (application) => {
    const accepting: ReadonlySet<NodeId> = new Set(application.nodesAccepting(type));
    for (const node of application.nodes.filter(({ id }) => accepting.has(id)))
      application.later(
        { kind: 'fixed', ms: 0 },
        () => when(node) && application.tell(node.id, drawn(application, commands)),
      );
    return ignoring;
  };
}
