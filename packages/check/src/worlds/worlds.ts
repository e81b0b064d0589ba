import {
  answerOf,
  breaksRules,
  faults,
  requireTopology,
  violatedBy,
} from '@conclave/core/internal';
import type { LocalState, Protocol, Step, SystemView } from '@conclave/core/protocol';
import { type Command, ConclaveError, type Message, type NodeId } from '@conclave/core/protocol';
import type { Link, Topology } from '@conclave/core/topology';
import type { TraceLine } from '@conclave/core/trace';
import { badInput } from '../base/bad-input.js';
import type { Budget } from './budget.js';
import { sameData } from './canonical.js';
import { checkBudget, crashCondition, linksInProcess } from './check-budget.js';
import { type Application, Commands, usualCommands } from './commands.js';
import {
  applicationOf,
  canArrive,
  crosses,
  disturb,
  isDue,
  localOf,
  type Parcel,
  put,
  sidesOf,
  take,
  takeAt,
  withoutMessages,
} from './in-flight.js';
import { LocalNode, nodeViewOf, type Stepper, viewOf } from './local-node.js';
import { partsOf, possibleActions } from './possible-actions.js';
import { armedBy, type Clocks, Clockwork, type Due, type NodeClock, timeOf } from './time.js';
import {
  type Action,
  actorOf,
  type Choice,
  type CrashInside,
  type HostEffect,
  isStep,
  type Outcome,
  type StepAction,
  type Timer,
  type World,
} from './world.js';

/**
 * The transition system of a protocol on a network with a budget: the definition that every faster
 * search is compared with. `initial` is the world after the start of all nodes, {@link actions} says
 * what can happen in a world, and {@link perform} what it leads to:
 *
 *     deliver, timeout, command, choose, restart    a step of a node: state, sends, open choices
 *     drop, …, split, heal, tick                    the network and the clock; no node takes part
 *     crash                                         a node is down, between two steps or in one
 *
 * While the network is split, a message sent across is lost at once. A message that was already in
 * flight across may be lost or, after the heal, arrive: as on a simulated channel that is cut.
 *
 * A crash in a step leaves the state after it, which the node has stored before it sends, and any
 * part of what the step sends is lost ({@link partsOf}). The start of a node is a step, too, but no
 * action: nodes start together, before anything can happen. So `starting` lists the nodes that may
 * still crash in the middle of their start. The first action empties it, except that answers to the
 * choices of the starts belong to them: they take only their node from the list.
 */
export class Worlds {
  initial: World;
  /** The run that has led to `initial`, where that is not the start: see {@link begin}. */
  begun: { readonly lines: readonly TraceLine[]; readonly ticks: number } | undefined;
  readonly commands: Commands;
  readonly order: 'fifo' | 'any';
  /** Set in exact time. */
  readonly clockwork: Clockwork | undefined;
  /** The sides to which the network may split. */
  readonly sides: readonly (readonly NodeId[])[];
  readonly inProcess: readonly Link[];
  readonly #nodes: ReadonlyMap<NodeId, LocalNode>;
  readonly #starts = new Map<NodeId, Step>();

  /** @throws {ConclaveError} `bad-topology`, `bad-input` for an invalid budget. */
  constructor(
    readonly protocol: Protocol,
    readonly topology: Topology,
    readonly budget: Budget = {},
    /** Called before each node is started; may throw. */
    built: () => void = () => {},
    /** Takes the steps of the nodes. Default: XState. */
    stepper?: Stepper,
  ) {
    requireTopology(protocol, topology);
    checkBudget(protocol, topology, budget);
    this.order = budget.order ?? protocol.channels.order;
    const time = timeOf(protocol, budget);
    this.clockwork = time === 'untimed' ? undefined : new Clockwork(time, this.order);
    this.inProcess = linksInProcess(protocol, topology);
    this.sides = (budget.partitions ?? 0) > 0 ? sidesOf(topology) : [];
    this.#nodes = new Map(topology.nodes.map((id) => [id, LocalNode.of(this, id, stepper)]));
    this.commands = new Commands(protocol, topology, budget);
    let world = this.#empty();
    for (const id of topology.nodes) {
      built();
      const started = this.node(id).start();
      this.#starts.set(id, started);
      world = this.#settle(world, id, started);
    }
    const starting = this.crashesInside
      ? topology.nodes.filter((id) => partsOf(this, id, this.startOf(id)).length > 0)
      : [];
    this.initial = starting.length > 0 ? { ...world, starting } : world;
  }

  /** The world before any node has started: the whole budget is left. */
  #empty(): World {
    const { topology, budget, commands, clockwork } = this;
    const { commands: times = usualCommands(this.protocol), initiators = topology.nodes } = budget;
    const most = times === 'unlimited' ? 1 : times; // it stays 1
    const timesAt = (id: string) => (initiators.includes(id) ? most : 0);
    return {
      nodes: {},
      channels: {},
      crashed: [],
      cut: [],
      choosing: [],
      remaining: {
        commands: Object.fromEntries(
          topology.nodes.map((id) => [id, commands.initially(timesAt(id))]),
        ),
        fulfilled: Object.fromEntries(topology.nodes.map((id) => [id, []])),
        ...faults.perFault((name) => budget[name] ?? 0),
      },
      ...(clockwork && { clocks: { dues: {}, nodes: {} } }),
    };
  }

  /** Begins at the end of a run of the same nodes, with the whole budget to come. */
  begin(end: World, run: NonNullable<Worlds['begun']>): void {
    const { fulfilled } = end.remaining;
    this.initial = { ...end, remaining: { ...this.initial.remaining, fulfilled } };
    this.begun = run;
  }

  /** The actions that are possible, in a fixed order. */
  actions(world: World): readonly Action[] {
    return possibleActions(this, world);
  }

  /** The commands that `node` may get in `state`. */
  commandsFor(
    node: LocalNode,
    state: LocalState,
    application: Application,
    clock: NodeClock | undefined,
  ): readonly Command[] {
    const possible = this.commands.possible(node, state, application);
    const { clockwork } = this;
    if (!clockwork || !clock || clockwork.mayLead(clock, [])) return possible;
    return possible.filter((command) => clockwork.mayLead(clock, node.tagsAfter(state, command)));
  }

  /** The armed timers of a node that may fire now. */
  dueTimers(state: LocalState, clock: NodeClock | undefined): readonly Timer[] {
    return this.clockwork && clock ? this.clockwork.dueTimers(state, clock) : state.timers;
  }

  /** Whether crashes fall into steps as well. */
  get crashesInside(): boolean {
    return (this.budget.crashes ?? 0) > 0 && !this.budget.atomicSteps;
  }

  /** Whether the budget's `mayCrash` allows a node to crash in this state. */
  mayCrash(id: NodeId, state: LocalState): boolean {
    const mayCrash = crashCondition(this.budget);
    return (
      !mayCrash ||
      answerOf(
        { name: 'mayCrash' },
        mayCrash,
        nodeViewOf(this.protocol, this.topology, id, state, false),
      )
    );
  }

  readonly isNotice = ({ type }: Message): boolean => type === this.protocol.crashNotice;

  /**
   * The world after `action`.
   * @throws {ConclaveError} `unhandled` or `bad-protocol` when a machine breaks the node contract.
   */
  next(world: World, action: Action): World {
    return this.perform(world, action).world;
  }

  /** Like {@link next}, with the effects of the acting node. */
  perform(world: World, action: Action): Outcome {
    const running = this.#withoutStarting(world, action);
    if (action.type === 'crash')
      return action.during ? this.#crashInside(world, action) : this.#crash(running, action.node);
    return isStep(action)
      ? this.#step(running, action)
      : { world: this.#networkAction(running, action), effects: [] };
  }

  /** The world without the nodes that cannot crash in the middle of their start any more. */
  #withoutStarting({ starting, ...world }: World, action: Action): World {
    const others =
      action.type === 'choose' ? (starting?.filter((id) => id !== action.node) ?? []) : [];
    return others.length > 0 ? { ...world, starting: others } : world;
  }

  /** A step of a node; `lost`: the positions of the sends that do not leave it. */
  #step(world: World, action: StepAction, lost: readonly number[] = []): Outcome {
    const id = actorOf(action);
    const before = this.#before(world, action);
    const taken = this.node(id).perform(localOf(world, id), action);
    const { state } = taken;
    const effects = lost.length === 0 ? taken.effects : withoutSends(taken.effects, lost);
    const command = action.type === 'command' ? action.command : undefined;
    const counted = this.#counted(before, id, state, command);
    const next = this.#settle(counted, id, { state, effects });
    const [, ...open] = world.choosing; // the choices that an answer leads to come first
    return {
      world: action.type === 'choose' ? { ...next, choosing: [...next.choosing, ...open] } : next,
      effects,
    };
  }

  /** The world without what a step takes from it. */
  #before(world: World, action: StepAction): World {
    if (action.type === 'deliver') return take(world, action);
    if (action.type === 'choose') return { ...world, choosing: [] };
    if (action.type !== 'restart') return world;
    const { crashed } = world;
    return spent({ ...world, crashed: crashed.filter((id) => id !== action.node) }, 'restarts');
  }

  /** The world with the commands that node `id` may still get, now that it is in `state`. */
  #counted(world: World, id: NodeId, state: LocalState, command: Command | undefined): World {
    const { remaining } = world;
    const application = applicationOf(world, id);
    const { commands, fulfilled } = this.commands.after(id, state, application, command);
    return {
      ...world,
      remaining: {
        ...remaining,
        commands: { ...remaining.commands, [id]: commands },
        fulfilled: { ...remaining.fulfilled, [id]: fulfilled },
      },
    };
  }

  /** The world with a new state of node `id`, and with what it sends, asks and waits for. */
  #settle(world: World, id: NodeId, { state, effects }: Step): World {
    const clock = this.clockwork?.after(
      ownOf(world.nodes, id),
      world.clocks && ownOf(world.clocks.nodes, id),
      state,
      armedBy(effects),
    );
    const settled = { ...world, nodes: { ...world.nodes, [id]: state } };
    return this.#withEffects(withClock(settled, id, clock), id, effects);
  }

  /** The world with the messages and the open choices of the effects of node `id`. */
  #withEffects(world: World, id: NodeId, effects: readonly HostEffect[]): World {
    let next = world;
    for (const effect of effects) {
      if (effect.type === 'choose')
        next = { ...next, choosing: [...next.choosing, { node: id, ...choiceOf(effect) }] };
      if (effect.type !== 'send') continue;
      const { to, message } = effect;
      const due = this.dueOf(id, to, message);
      const sent: Parcel = { from: id, to, message, ...(due && { due }) };
      if (!crosses(world.cut, sent)) next = put(next, sent);
    }
    return next;
  }

  /** In exact time: when a message may arrive that is sent now. */
  dueOf(from: NodeId, to: NodeId, message: Message): Due | undefined {
    const { clockwork } = this;
    const atOnce = { least: 0, most: 0 };
    return clockwork && (this.#isInside({ from, to }) ? atOnce : clockwork.due(from, to, message));
  }

  #isInside({ from, to }: Pick<Link, 'from' | 'to'>): boolean {
    return this.inProcess.some((link) => link.from === from && link.to === to);
  }

  /** The world after an action that no node takes. */
  #networkAction(
    world: World,
    action: Exclude<Action, StepAction | { readonly type: 'crash' }>,
  ): World {
    switch (action.type) {
      case 'drop': {
        if (action.unsent !== undefined) return takeAt(world, action, action.unsent);
        // nothing is there to receive it, or its sender is stopped
        const isFree = (isDue(action) && !canArrive(world, action)) || this.#isInside(action);
        return isFree ? take(world, action) : spent(take(world, action), 'losses');
      }
      case 'split':
        return spent({ ...world, cut: action.side }, 'partitions');
      case 'heal':
        return { ...world, cut: [] };
      case 'tick': {
        const next = this.later(world);
        if (!next)
          throw badInput('No time can pass in this world', 'Let what is due happen first.');
        return next;
      }
      default: // a fault of a channel
        return spent(disturb(world, action.type, action), faults.channelFaults[action.type].count);
    }
  }

  #crash(world: World, id: NodeId): Outcome {
    const { starting = [], ...rest } = world;
    const remaining = {
      ...world.remaining,
      crashes: world.remaining.crashes - 1,
      fulfilled: { ...world.remaining.fulfilled, [id]: [] },
    };
    const others = remaining.crashes > 0 ? starting.filter((other) => other !== id) : [];
    const down = {
      ...rest,
      ...(others.length > 0 && { starting: others }),
      crashed: [...world.crashed, id].sort(),
      choosing: world.choosing.filter(({ node }) => node !== id),
      remaining,
    };
    const { effects } = this.node(id).perform(localOf(world, id), { type: 'crash', node: id });
    const stopped = withClock(down, id, this.clockwork?.stopped);
    return { world: this.#withEffects(stopped, id, effects), effects };
  }

  #crashInside(world: World, { node, during, lost }: CrashInside): Outcome {
    const stepped =
      during.type === 'start'
        ? this.#startLosing(world, node, lost)
        : this.#step(this.#withoutStarting(world, during), during, lost);
    const { world: next, effects } = this.#crash(stepped.world, node);
    return { world: next, effects: [...stepped.effects, ...effects] };
  }

  /** The world as if a node that has just started had lost these sends of its start. */
  #startLosing({ starting = [], ...world }: World, id: NodeId, lost: readonly number[]): Outcome {
    const { effects } = this.startOf(id);
    const sends = withoutSends(effects, lost).filter(({ type }) => type === 'send');
    const emptied = this.topology
      .successors(id)
      .reduce<World>((before, to) => withoutMessages(before, { from: id, to }), world);
    return { world: this.#withEffects({ ...emptied, starting }, id, sends), effects: [] };
  }

  /** The world one tick later; undefined if something is due now, or if time changes nothing. */
  later(world: World): World | undefined {
    const clocks = this.#clocksLater(world);
    return clocks && !sameData(world.clocks, clocks) ? { ...world, clocks } : undefined;
  }

  /** Whether time passes in a world without a trace: no clock runs, and nothing is due. */
  isTimeless(world: World): boolean {
    const later = this.#clocksLater(world);
    return world.choosing.length === 0 && later !== undefined && sameData(world.clocks, later);
  }

  /** The clocks one tick later; undefined in untimed runs, and if something is due now. */
  #clocksLater({ clocks }: World): Clocks | undefined {
    const { clockwork } = this;
    if (!clockwork || !clocks) return undefined;
    const nodes = this.topology.nodes.map(
      (id) => [id, clockwork.nodeLater(clocks.nodes[id] ?? clockwork.stopped)] as const,
    );
    const dues = Object.entries(clocks.dues).map(
      ([key, waiting]) => [key, clockwork.channelLater(waiting)] as const,
    );
    if ([...nodes, ...dues].some(([, later]) => !later)) return undefined;
    // each is there
    return { dues: Object.fromEntries(dues), nodes: Object.fromEntries(nodes) } as Clocks;
  }

  /** Whether nothing can happen any more. */
  isQuiescent(world: World): boolean {
    return this.actions(world).length === 0 && (!this.clockwork || this.isTimeless(world));
  }

  /** A world as properties see it. */
  view(world: World): SystemView {
    return viewOf(this.protocol, this.topology, world);
  }

  /** How a node has started. */
  startOf(id: NodeId): Step {
    this.node(id); // refuses an unknown one
    return this.#starts.get(id) as Step; // each node has started
  }

  /** @throws {ConclaveError} `bad-input` for an unknown node. */
  node(id: NodeId): LocalNode {
    const node = this.#nodes.get(id);
    if (!node) throw badInput(`The network '${this.topology.spec}' has no node '${id}'`);
    return node;
  }
}

/** What a node asks for by an effect. */
export const choiceOf = ({
  options,
  weights,
}: Extract<HostEffect, { readonly type: 'choose' }>): Choice => ({
  options,
  ...(weights && { weights }),
});

/** The effects without the sends at these positions among the sends. */
function withoutSends(
  effects: readonly HostEffect[],
  lost: readonly number[],
): readonly HostEffect[] {
  let position = 0;
  return effects.filter(({ type }) => type !== 'send' || !lost.includes(position++));
}

/** A fault has happened. */
const spent = (world: World, fault: faults.FaultName): World => ({
  ...world,
  remaining: { ...world.remaining, [fault]: world.remaining[fault] - 1 },
});

const withClock = (world: World, id: NodeId, clock: NodeClock | undefined): World =>
  world.clocks && clock
    ? { ...world, clocks: { ...world.clocks, nodes: { ...world.clocks.nodes, [id]: clock } } }
    : world;

/** The world after `action`, or the error if the node's machine cannot take it. */
export function nextOrFault(
  worlds: Pick<Worlds, 'next'>,
  world: World,
  action: Action,
): World | ConclaveError {
  try {
    return worlds.next(world, action);
  } catch (error) {
    if (breaksRules(error)) return error;
    throw error;
  }
}

/** The error of an action in `world` that violates a standard property, if one does. */
export function faultIn(worlds: Worlds, world: World, property: string): ConclaveError | undefined {
  for (const action of worlds.actions(world)) {
    const next = nextOrFault(worlds, world, action);
    if (next instanceof ConclaveError && violatedBy(next, worlds.budget.unexpected) === property)
      return next;
  }
  return undefined;
}

/** `record[id]` would find what every object has, for a node such as `constructor`. */
const ownOf = <T>(record: Readonly<Record<NodeId, T>>, id: NodeId): T | undefined =>
  Object.hasOwn(record, id) ? record[id] : undefined;
