import { answerOf } from '../../protocol/answer.js';
import { requireTopology } from '../../protocol/check.js';
import { badInput } from '../../protocol/error.js';
import type { Command, NodeId } from '../../protocol/node.js';
import { optionalCommands } from '../../protocol/optional-commands.js';
import type { SystemView } from '../../protocol/property.js';
import type { Protocol } from '../../protocol/protocol.js';
import type { LocalState, Step } from '../../protocol/step.js';
import type { Topology } from '../../topology/topology.js';
import type { Budget } from './budget.js';
import { checkBudget } from './check-budget.js';
import { type Application, Commands } from './commands.js';
import { distinct, duplicate, put, take } from './in-flight.js';
import { LocalNode } from './local-node.js';
import { crosses, sidesOf } from './partition.js';
import { type Timing, timeOf, timeoutsOf, timingOf } from './time.js';
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
  readonly timing: Timing;
  readonly #nodes: ReadonlyMap<NodeId, LocalNode>;
  readonly #sides: readonly (readonly NodeId[])[];

  /** @throws {ConclaveError} `bad-topology`, `bad-input` for an invalid budget. */
  constructor(
    readonly protocol: Protocol,
    readonly topology: Topology,
    private readonly budget: Budget = {},
    /** Called before each node is started; may throw. */
    built: () => void = () => {},
  ) {
    requireTopology(protocol, topology);
    checkBudget(protocol, topology, budget);
    const { commands = 1, initiators = topology.nodes, losses = 0, duplications = 0, crashes = 0, restarts = 0, partitions = 0 } = budget;
    this.order = budget.order ?? protocol.channels.order;
    this.timing = timingOf({ ...budget, time: timeOf(protocol, budget) });
    this.#sides = partitions > 0 ? sidesOf(topology) : [];
    this.#nodes = new Map(topology.nodes.map((id) => [id, new LocalNode(id, protocol, topology)]));
    const obligatory = Object.entries(protocol.commands).flatMap(([type, { kind }]) => (kind === 'obligatory' ? [{ type }] : []));
    this.commands = new Commands(protocol, topology, budget.inputs ?? optionalCommands(protocol), obligatory);
    const mayCommand = new Set(initiators);
    let world: World = {
      nodes: {},
      channels: {},
      crashed: [],
      cut: [],
      choosing: [],
      remaining: {
        commands: Object.fromEntries(
          topology.nodes.map((id) => [id, this.commands.optional.map(() => (mayCommand.has(id) ? commands : 0))]),
        ),
        fulfilled: Object.fromEntries(topology.nodes.map((id) => [id, []])),
        losses,
        duplications,
        crashes,
        restarts,
        partitions,
      },
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
    return [...this.#commandActions(world), ...this.#messageActions(world), ...this.#nodeActions(world), ...this.#networkActions(world)];
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
        return this.#outcome({ ...world, channels: take(world.channels, action) }, action.to, this.#taken(world, action.to, action));
      case 'drop': {
        const losses = canArrive(world, action) ? remaining.losses - 1 : remaining.losses; // a message that cannot arrive is lost for free
        return { world: { ...world, channels: take(world.channels, action), remaining: { ...remaining, losses } }, effects: [] };
      }
      case 'duplicate': {
        const duplications = remaining.duplications - 1;
        return { world: { ...world, channels: duplicate(world.channels, action), remaining: { ...remaining, duplications } }, effects: [] };
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
        return { world: { ...world, crashed: [...world.crashed, action.node].sort(), remaining: left }, effects: [] };
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
    }
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
      const possible = this.commands.possible(this.#node(node), local(world, node), applicationOf(world, node));
      return possible.map((command): Action => ({ type: 'command', node, command }));
    });
  }

  #messageActions(world: World): Action[] {
    const { losses, duplications } = world.remaining;
    return this.topology.links.flatMap((link) => {
      const { from, to } = link;
      const waiting = world.channels[`${from}→${to}`] ?? [];
      const next = this.order === 'fifo' ? waiting.slice(0, 1) : distinct(waiting);
      return next.flatMap((message): Action[] => [
        ...(canArrive(world, link) ? [{ type: 'deliver', from, to, message } as const] : []),
        ...(losses > 0 || !canArrive(world, link) ? [{ type: 'drop', from, to, message } as const] : []),
        ...(duplications > 0 && !crosses(world.cut, link) ? [{ type: 'duplicate', from, to, message } as const] : []),
      ]);
    });
  }

  #nodeActions(world: World): Action[] {
    const { crashes, restarts } = world.remaining;
    const inFlight = this.topology.links.some((link) => world.channels[`${link.from}→${link.to}`] && canArrive(world, link));
    return this.topology.nodes.flatMap((node): Action[] => {
      if (world.crashed.includes(node)) return restarts > 0 ? [{ type: 'restart', node }] : [];
      const timers = timeoutsOf(local(world, node).timers, this.timing, inFlight);
      const timeouts = timers.map(({ id }): Action => ({ type: 'timeout', node, timer: id }));
      return crashes > 0 && this.mayCrash(node, local(world, node)) ? [...timeouts, { type: 'crash', node }] : timeouts;
    });
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
    let next: World = { ...world, nodes: { ...world.nodes, [id]: state } };
    for (const effect of effects) {
      if (effect.type === 'choose') next = { ...next, choosing: [...next.choosing, { node: id, options: effect.options }] };
      if (effect.type !== 'send') continue;
      const sent = { from: id, to: effect.to, message: effect.message };
      if (!crosses(world.cut, sent)) next = { ...next, channels: put(next.channels, sent) };
    }
    return next;
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

/** Whether a message in flight on a channel can arrive now. */
const canArrive = ({ crashed, cut }: World, channel: { readonly from: NodeId; readonly to: NodeId }): boolean =>
  !crashed.includes(channel.to) && !crosses(cut, channel);
