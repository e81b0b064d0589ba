import { answerOf } from '../../protocol/answer.js';
import { requireTopology } from '../../protocol/check.js';
import { badInput } from '../../protocol/error.js';
import type { Command, Message, NodeId } from '../../protocol/node.js';
import type { SystemView } from '../../protocol/property.js';
import type { Protocol } from '../../protocol/protocol.js';
import type { HostEffect, LocalState, Step, Timer } from '../../protocol/step.js';
import { breaksRules } from '../../protocol/unhandled-messages.js';
import type { Link, Topology } from '../../topology/topology.js';
import type { Budget } from './budget.js';
import { sameData } from './canonical.js';
import { checkBudget } from './check-budget.js';
import { armedBy, type Clocks, Clockwork, type NodeClock } from './clockwork.js';
import { type Application, Commands } from './commands.js';
import { duplicate, newestBefore, nextOf, type Parcel, put, take, takeAt } from './in-flight.js';
import { LocalNode } from './local-node.js';
import { crosses, sidesOf } from './partition.js';
import { timeOf } from './time.js';
import { nodeViewOf, viewOf } from './view.js';
import type { Action, Outcome, World } from './world.js';

/**
 * The transition system of a protocol on a network with a budget: the definition that every faster search is compared with.
 *
 * While the network is split, a message sent across is lost at once. A message that was already in flight across may be lost or, after the heal,
 * arrive: as on a simulated channel that is cut.
 */
export class Worlds {
  readonly initial: World;
  readonly commands: Commands;
  readonly order: 'fifo' | 'any';
  /** Set in exact time. */
  readonly clockwork: Clockwork | undefined;
  readonly #nodes: ReadonlyMap<NodeId, LocalNode>;
  readonly #sides: readonly (readonly NodeId[])[];

  /** @throws {ConclaveError} `bad-topology`, `bad-input` for an invalid budget. */
  constructor(
    readonly protocol: Protocol,
    readonly topology: Topology,
    readonly budget: Budget = {},
    /** Called before each node is started; may throw. */
    built: () => void = () => {},
  ) {
    requireTopology(protocol, topology);
    checkBudget(protocol, topology, budget);
    const { commands = 1, initiators = topology.nodes, losses = 0, duplications = 0, crashes = 0, restarts = 0, partitions = 0 } = budget;
    this.order = budget.order ?? protocol.channels.order;
    const time = timeOf(protocol, budget);
    this.clockwork = time === 'untimed' ? undefined : new Clockwork(time, this.order);
    this.#sides = partitions > 0 ? sidesOf(topology) : [];
    this.#nodes = new Map(topology.nodes.map((id) => [id, new LocalNode(id, protocol, topology)]));
    this.commands = new Commands(protocol, topology, budget.inputs);
    const mayCommand = new Set(initiators);
    let world: World = {
      nodes: {},
      channels: {},
      crashed: [],
      cut: [],
      choosing: [],
      remaining: {
        commands: Object.fromEntries(topology.nodes.map((id) => [id, this.commands.initially(mayCommand.has(id) ? commands : 0)])),
        fulfilled: Object.fromEntries(topology.nodes.map((id) => [id, []])),
        losses,
        duplications,
        crashes,
        restarts,
        partitions,
      },
      ...(this.clockwork && { clocks: { dues: {}, nodes: {} } }),
    };
    for (const id of topology.nodes) {
      built();
      world = this.#settle(world, id, this.#node(id).start());
    }
    this.initial = world;
  }

  /** The actions that are possible, in a fixed order. */
  actions(world: World): readonly Action[] {
    const [choice] = world.choosing;
    if (choice) return choice.options.map((value) => ({ type: 'choose', node: choice.node, value }));
    return [
      ...this.#commandActions(world),
      ...this.#messageActions(world),
      ...this.#nodeActions(world),
      ...this.#networkActions(world),
      ...(this.#later(world) ? [{ type: 'tick' } as const] : []),
    ];
  }

  /** The world after `action`. @throws {ConclaveError} `unhandled` or `bad-protocol` when a machine breaks the node contract. */
  next(world: World, action: Action): World {
    return this.perform(world, action).world;
  }

  /** Like {@link next}, with the effects of the acting node. */
  perform(world: World, action: Action): Outcome {
    const { remaining } = world;
    switch (action.type) {
      case 'command':
        return this.#outcome(world, action.node, this.#taken(world, action.node, action), action.command);
      case 'deliver':
        return this.#outcome(take(world, action), action.to, this.#taken(world, action.to, action));
      case 'drop': {
        if (action.unsent !== undefined) return { world: takeAt(world, action, action.unsent), effects: [] };
        const isFree = isDue(action) && !canArrive(world, action); // nothing is there to receive it
        const losses = isFree ? remaining.losses : remaining.losses - 1;
        return { world: { ...take(world, action), remaining: { ...remaining, losses } }, effects: [] };
      }
      case 'duplicate': {
        const duplications = remaining.duplications - 1;
        return { world: { ...duplicate(world, action), remaining: { ...remaining, duplications } }, effects: [] };
      }
      case 'timeout':
        return this.#outcome(world, action.node, this.#taken(world, action.node, action));
      case 'choose': {
        const [, ...open] = world.choosing;
        const { world: next, effects } = this.#outcome({ ...world, choosing: [] }, action.node, this.#taken(world, action.node, action));
        return { world: { ...next, choosing: [...next.choosing, ...open] }, effects }; // the choices that an answer leads to come first
      }
      case 'crash': {
        const fulfilled = { ...remaining.fulfilled, [action.node]: [] };
        const left = { ...remaining, crashes: remaining.crashes - 1, fulfilled };
        const down = { ...world, crashed: [...world.crashed, action.node].sort(), remaining: left };
        const { effects } = this.#taken(world, action.node, action);
        return { world: this.#sent(this.#withClock(down, action.node, this.clockwork?.stopped), action.node, effects), effects };
      }
      case 'restart': {
        const crashed = world.crashed.filter((id) => id !== action.node);
        const back = { ...world, crashed, remaining: { ...remaining, restarts: remaining.restarts - 1 } };
        return this.#outcome(back, action.node, this.#taken(world, action.node, action));
      }
      case 'split': {
        const partitions = remaining.partitions - 1;
        return { world: { ...world, cut: action.side, remaining: { ...remaining, partitions } }, effects: [] };
      }
      case 'heal':
        return { world: { ...world, cut: [] }, effects: [] };
      case 'tick': {
        const later = this.#later(world);
        if (!later) throw badInput('No time can pass in this world', 'Let what is due happen first.');
        return { world: later, effects: [] };
      }
    }
  }

  /** The commands that `node` may get in `state`. */
  commandsFor(node: LocalNode, state: LocalState, application: Application, clock: NodeClock | undefined): readonly Command[] {
    const possible = this.commands.possible(node, state, application);
    const { clockwork } = this;
    if (!clockwork || !clock || clockwork.mayLead(clock, [])) return possible;
    return possible.filter((command) => clockwork.mayLead(clock, tagsAfter(node, state, command)));
  }

  /** The armed timers of a node that may fire now. */
  dueTimers(state: LocalState, clock: NodeClock | undefined): readonly Timer[] {
    return this.clockwork && clock ? this.clockwork.dueTimers(state, clock) : state.timers;
  }

  /** A world as properties see it. */
  view(world: World): SystemView {
    return viewOf(this.protocol, this.topology, world);
  }

  /** Whether the budget's `mayCrash` allows a node to crash in this state. */
  mayCrash(id: NodeId, state: LocalState): boolean {
    const { mayCrash } = this.budget;
    return !mayCrash || answerOf({ name: 'mayCrash' }, mayCrash, nodeViewOf(this.protocol, this.topology, id, state, false));
  }

  #commandActions(world: World): Action[] {
    return this.topology.nodes.flatMap((node) => {
      if (world.crashed.includes(node)) return [];
      const clock = world.clocks?.nodes[node];
      const possible = this.commandsFor(this.#node(node), local(world, node), applicationOf(world, node), clock);
      return possible.map((command): Action => ({ type: 'command', node, command }));
    });
  }

  #messageActions(world: World): Action[] {
    const { losses, duplications } = world.remaining;
    return this.topology.links.flatMap((link) => {
      const arrives = canArrive(world, link);
      const next = nextOf(world, link, this.order).flatMap((parcel): Action[] => [
        ...(isDue(parcel) && arrives ? [{ type: 'deliver', ...parcel } as const] : []),
        ...(losses > 0 || (isDue(parcel) && !arrives) ? [{ type: 'drop', ...parcel } as const] : []),
        ...(duplications > 0 && !crosses(world.cut, link) ? [{ type: 'duplicate', ...parcel } as const] : []),
      ]);
      return this.budget.unsent ? [...next, ...this.#unsent(world, link)] : next;
    });
  }

  /** A crash has lost the newest message of a channel. */
  #unsent({ channels, clocks }: World, { from, to }: Link): readonly Action[] {
    const key = `${from}→${to}`;
    const messages = channels[key] ?? [];
    return newestBefore(messages, this.isNotice).map((unsent) => {
      const due = clocks?.dues[key]?.[unsent];
      return { type: 'drop', from, to, message: messages[unsent] as Message, ...(due && { due }), unsent }; // its own position
    });
  }

  readonly isNotice = ({ type }: Message): boolean => type === this.protocol.crashNotice;

  #nodeActions(world: World): Action[] {
    const { crashes, restarts } = world.remaining;
    return this.topology.nodes.flatMap((node): Action[] => {
      if (world.crashed.includes(node)) return restarts > 0 ? [{ type: 'restart', node }] : [];
      const timeouts = this.dueTimers(local(world, node), world.clocks?.nodes[node]).map(
        ({ id }): Action => ({ type: 'timeout', node, timer: id }),
      );
      return crashes > 0 && this.mayCrash(node, local(world, node)) ? [...timeouts, { type: 'crash', node }] : timeouts;
    });
  }

  /** Whether nothing can happen any more. */
  isQuiescent(world: World): boolean {
    return this.actions(world).length === 0 && (!this.clockwork || this.isTimeless(world));
  }

  /** Whether time passes in a world without a trace: no clock runs, and nothing is due. */
  isTimeless(world: World): boolean {
    const later = this.#clocksLater(world);
    return world.choosing.length === 0 && later !== undefined && sameData(world.clocks, later);
  }

  /** The world one tick later; undefined if something is due now, or if time changes nothing. */
  #later(world: World): World | undefined {
    const clocks = this.#clocksLater(world);
    return clocks && !sameData(world.clocks, clocks) ? { ...world, clocks } : undefined;
  }

  /** The clocks one tick later; undefined if something is due now. */
  #clocksLater({ clocks }: World): Clocks | undefined {
    const { clockwork } = this;
    if (!clockwork || !clocks) return undefined;
    const nodes = this.topology.nodes.map((id) => [id, clockwork.nodeLater(clocks.nodes[id] ?? clockwork.stopped)] as const);
    const dues = Object.entries(clocks.dues).map(([key, waiting]) => [key, clockwork.channelLater(waiting)] as const);
    if ([...nodes, ...dues].some(([, later]) => !later)) return undefined;
    return { dues: Object.fromEntries(dues), nodes: Object.fromEntries(nodes) } as Clocks; // each is there
  }

  #networkActions({ cut, remaining }: World): Action[] {
    if (cut.length > 0) return [{ type: 'heal' }];
    return remaining.partitions > 0 ? this.#sides.map((side): Action => ({ type: 'split', side })) : [];
  }

  #node(id: NodeId): LocalNode {
    const node = this.#nodes.get(id);
    if (!node) throw badInput(`The network '${this.topology.spec}' has no node '${id}'`);
    return node;
  }

  /** The step of node `id` by one of its actions. */
  #taken(world: World, id: NodeId, action: Action): Step {
    return this.#node(id).perform(local(world, id), action);
  }

  #outcome(world: World, id: NodeId, taken: Step, command?: Command): Outcome {
    const { commands, fulfilled } = this.commands.after(id, taken.state, applicationOf(world, id), command);
    const { remaining } = world;
    const now = {
      ...remaining,
      commands: { ...remaining.commands, [id]: commands },
      fulfilled: { ...remaining.fulfilled, [id]: fulfilled },
    };
    return { world: this.#settle({ ...world, remaining: now }, id, taken), effects: taken.effects };
  }

  #settle(world: World, id: NodeId, { state, effects }: Step): World {
    const clock = this.clockwork?.after(world.nodes[id], world.clocks?.nodes[id], state, armedBy(effects));
    return this.#sent(this.#withClock({ ...world, nodes: { ...world.nodes, [id]: state } }, id, clock), id, effects);
  }

  /** With the messages and the open choices of the effects of node `id`. */
  #sent(world: World, id: NodeId, effects: readonly HostEffect[]): World {
    let next = world;
    for (const effect of effects) {
      if (effect.type === 'choose') next = { ...next, choosing: [...next.choosing, { node: id, options: effect.options }] };
      if (effect.type !== 'send') continue;
      const { to, message } = effect;
      const due = this.clockwork?.due(id, to, message);
      const sent: Parcel = { from: id, to, message, ...(due && { due }) };
      if (!crosses(world.cut, sent)) next = put(next, sent);
    }
    return next;
  }

  #withClock(world: World, id: NodeId, clock: NodeClock | undefined): World {
    return world.clocks && clock ? { ...world, clocks: { ...world.clocks, nodes: { ...world.clocks.nodes, [id]: clock } } } : world;
  }
}

function local(world: World, id: NodeId): LocalState {
  const state = world.nodes[id];
  if (!state) throw badInput(`The world has no node '${id}'`);
  return state;
}

const applicationOf = ({ remaining }: World, id: NodeId): Application => ({
  commands: remaining.commands[id] ?? [],
  fulfilled: remaining.fulfilled[id] ?? [],
});

/** The tags after a command; those before it if it fails, which the step itself will tell. */
function tagsAfter(node: LocalNode, state: LocalState, command: Command): readonly string[] {
  try {
    return node.perform(state, { type: 'command', node: node.id, command }).state.tags;
  } catch (error) {
    if (breaksRules(error)) return state.tags;
    throw error;
  }
}

/** Whether a message in flight may have arrived by now. */
const isDue = ({ due }: Pick<Parcel, 'due'>): boolean => due === undefined || due.least === 0;

/** Whether a message in flight on a channel can arrive now. */
const canArrive = ({ crashed, cut }: World, channel: { readonly from: NodeId; readonly to: NodeId }): boolean =>
  !crashed.includes(channel.to) && !crosses(cut, channel);
