import { requireTopology } from '../protocol/check.js';
import { ConclaveError } from '../protocol/error.js';
import type { Command, Json, Message, NodeId, Received } from '../protocol/node.js';
import type { InFlight } from '../protocol/property.js';
import { type Protocol, type Role, roleOf } from '../protocol/protocol.js';
import { fire, type HostEffect, type LocalState, type Step, start, step, takes } from '../protocol/step.js';
import type { Topology } from '../topology/topology.js';
import { type Budget, checkBudget, wishesOf } from './budget.js';
import { canonical, sameData } from './canonical.js';

/** What the environment may still do in one world. */
interface Remaining {
  /** By node: the wishes it has left, by position in the list of commands. */
  readonly wishes: Readonly<Record<NodeId, readonly number[]>>;
  readonly losses: number;
  readonly duplications: number;
  readonly crashes: number;
  readonly restarts: number;
}

/** The whole system at one moment, as one immutable plain value. */
export interface World {
  readonly nodes: Readonly<Record<NodeId, LocalState>>;
  /** By `from→to`: what is on its way, oldest first; empty channels are left out. */
  readonly channels: Readonly<Record<string, readonly Message[]>>;
  readonly crashed: readonly NodeId[];
  /** Choices to be answered before anything else happens. */
  readonly choosing: readonly { readonly node: NodeId; readonly options: readonly Json[] }[];
  readonly remaining: Remaining;
}

/** One step of a world. */
export type Action =
  | { readonly type: 'command'; readonly node: NodeId; readonly command: Command }
  | { readonly type: 'deliver' | 'drop' | 'duplicate'; readonly from: NodeId; readonly to: NodeId; readonly message: Message }
  | { readonly type: 'timeout'; readonly node: NodeId; readonly timer: string }
  | { readonly type: 'choose'; readonly node: NodeId; readonly value: Json }
  | { readonly type: 'crash' | 'restart'; readonly node: NodeId };

/** What an action did, for the trace. */
export interface Outcome {
  readonly world: World;
  readonly effects: readonly HostEffect[];
}

/** A protocol on a network with a budget: a system of worlds. Time is untimed: an armed timer may fire at any moment. */
export class Worlds {
  readonly initial: World;
  readonly commands: readonly Command[];
  readonly order: 'fifo' | 'any';
  readonly #roles: ReadonlyMap<NodeId, Role>;

  /** @throws {ConclaveError} `bad-topology`, `bad-input` for a budget that cannot be. */
  constructor(
    readonly protocol: Protocol,
    readonly topology: Topology,
    budget: Budget = {},
  ) {
    requireTopology(protocol, topology);
    checkBudget(protocol, topology, budget);
    const { wishes = 1, initiators = topology.nodes, losses = 0, duplications = 0, crashes = 0, restarts = 0 } = budget;
    this.order = budget.order ?? protocol.channels.order;
    this.commands = budget.commands ?? wishesOf(protocol);
    this.#roles = new Map(topology.nodes.map((id) => [id, roleOf(protocol, id, topology)]));
    const mayWish = new Set(initiators);
    let world: World = {
      nodes: {},
      channels: {},
      crashed: [],
      choosing: [],
      remaining: {
        wishes: Object.fromEntries(topology.nodes.map((id) => [id, this.commands.map(() => (mayWish.has(id) ? wishes : 0))])),
        losses,
        duplications,
        crashes,
        restarts,
      },
    };
    for (const id of topology.nodes) {
      const role = this.#role(id);
      world = this.#settle(world, id, start(role.machine, id, role.input(id, topology)));
    }
    this.initial = world;
  }

  /** Everything that may happen next, in a fixed order. */
  actions(world: World): readonly Action[] {
    const [choice] = world.choosing;
    if (choice) return choice.options.map((value) => ({ type: 'choose', node: choice.node, value }));
    return [...this.#commandActions(world), ...this.#messageActions(world), ...this.#nodeActions(world)];
  }

  /**
   * The world after `action`.
   *
   * @throws {ConclaveError} `unhandled` or `bad-protocol` when a machine breaks the node contract.
   */
  next(world: World, action: Action): World {
    return this.perform(world, action).world;
  }

  /** Like {@link next}, with what the acting node did. */
  perform(world: World, action: Action): Outcome {
    const { remaining } = world;
    switch (action.type) {
      case 'command':
        return this.#step(this.#spend(world, action.node, action.command), action.node, action.command);
      case 'deliver': {
        const received: Received<Message> = { ...action.message, from: action.from };
        return this.#step(take(world, action), action.to, received);
      }
      case 'drop': {
        // What comes to a crashed node is gone, whatever the budget.
        const losses = world.crashed.includes(action.to) ? remaining.losses : remaining.losses - 1;
        return { world: { ...take(world, action), remaining: { ...remaining, losses } }, effects: [] };
      }
      case 'duplicate': {
        const doubled = { ...world, remaining: { ...remaining, duplications: remaining.duplications - 1 } };
        return { world: double(doubled, action), effects: [] };
      }
      case 'timeout':
        return this.#outcome(
          world,
          action.node,
          fire(this.#role(action.node).machine, action.node, local(world, action.node), action.timer),
        );
      case 'choose': {
        const chosen = { type: 'chosen', value: action.value };
        const [, ...open] = world.choosing;
        const { world: next, effects } = this.#step({ ...world, choosing: [] }, action.node, chosen);
        return { world: { ...next, choosing: [...next.choosing, ...open] }, effects }; // what an answer leads to is asked first
      }
      case 'crash':
        return {
          world: { ...world, crashed: [...world.crashed, action.node].sort(), remaining: { ...remaining, crashes: remaining.crashes - 1 } },
          effects: [],
        };
      case 'restart':
        return this.#restart(world, action.node);
    }
  }

  #commandActions(world: World): Action[] {
    return this.topology.nodes.flatMap((node) => {
      if (world.crashed.includes(node)) return [];
      const left = world.remaining.wishes[node] ?? [];
      const duties = Object.entries(this.protocol.commands).flatMap(([type, { kind }]) => (kind === 'duty' ? [{ type }] : []));
      const possible = [...this.commands.filter((_, index) => (left[index] ?? 0) > 0), ...duties];
      return possible
        .filter((command) => takes(this.#role(node).machine, local(world, node), command))
        .map((command): Action => ({ type: 'command', node, command }));
    });
  }

  #messageActions(world: World): Action[] {
    const { losses, duplications } = world.remaining;
    return this.topology.links.flatMap(({ from, to }) => {
      const waiting = world.channels[`${from}→${to}`] ?? [];
      const next = this.order === 'fifo' ? waiting.slice(0, 1) : different(waiting);
      return next.flatMap((message): Action[] => [
        ...(world.crashed.includes(to) ? [] : [{ type: 'deliver', from, to, message } as const]),
        ...(losses > 0 || world.crashed.includes(to) ? [{ type: 'drop', from, to, message } as const] : []),
        ...(duplications > 0 ? [{ type: 'duplicate', from, to, message } as const] : []),
      ]);
    });
  }

  #nodeActions(world: World): Action[] {
    const { crashes, restarts } = world.remaining;
    return this.topology.nodes.flatMap((node): Action[] => {
      if (world.crashed.includes(node)) return restarts > 0 ? [{ type: 'restart', node }] : [];
      const timeouts = local(world, node).timers.map(({ id }): Action => ({ type: 'timeout', node, timer: id }));
      return crashes > 0 ? [...timeouts, { type: 'crash', node }] : timeouts;
    });
  }

  #spend(world: World, node: NodeId, command: Command): World {
    const index = this.commands.findIndex((known) => sameData(known, command));
    const left = world.remaining.wishes[node];
    if (index < 0 || !left) return world; // a duty
    const wishes = { ...world.remaining.wishes, [node]: left.map((count, at) => (at === index ? count - 1 : count)) };
    return { ...world, remaining: { ...world.remaining, wishes } };
  }

  #restart(world: World, node: NodeId): Outcome {
    const role = this.#role(node);
    const { context } = local(world, node);
    const kept = Object.fromEntries((role.stable ?? []).map((field) => [field, context[field] as Json])); // contexts are checked to be plain data
    const input = { ...(role.input(node, this.topology) as Record<string, Json>), ...kept }; // a role with stable fields takes an object
    const back = {
      ...world,
      crashed: world.crashed.filter((id) => id !== node),
      remaining: { ...world.remaining, restarts: world.remaining.restarts - 1 },
    };
    return this.#outcome(back, node, start(role.machine, node, input));
  }

  #role(id: NodeId): Role {
    const role = this.#roles.get(id);
    if (!role) throw new ConclaveError('bad-input', `The network '${this.topology.spec}' has no node '${id}'`);
    return role;
  }

  #step(world: World, id: NodeId, event: { readonly type: string }): Outcome {
    return this.#outcome(world, id, step(this.#role(id).machine, id, local(world, id), event));
  }

  #outcome(world: World, id: NodeId, taken: Step): Outcome {
    return { world: this.#settle(world, id, taken), effects: taken.effects };
  }

  #settle(world: World, id: NodeId, { state, effects }: Step): World {
    let next: World = { ...world, nodes: { ...world.nodes, [id]: state } };
    for (const effect of effects) {
      if (effect.type === 'choose') next = { ...next, choosing: [...next.choosing, { node: id, options: effect.options }] };
      if (effect.type !== 'send') continue;
      if (!this.topology.link(id, effect.to))
        throw new ConclaveError(
          'bad-protocol',
          `Node ${id} sends '${effect.message.type}' to ${effect.to}, to which it has no channel in '${this.topology.spec}'`,
        );
      next = put(next, id, effect.to, effect.message);
    }
    return next;
  }
}

function local(world: World, id: NodeId): LocalState {
  const state = world.nodes[id];
  if (!state) throw new ConclaveError('bad-input', `The world has no node '${id}'`);
  return state;
}

function put(world: World, from: NodeId, to: NodeId, message: Message): World {
  const key = `${from}→${to}`;
  return { ...world, channels: { ...world.channels, [key]: [...(world.channels[key] ?? []), message] } };
}

function take(world: World, sent: InFlight): World {
  const { key, waiting, index } = find(world, sent);
  const { [key]: _, ...others } = world.channels;
  return { ...world, channels: waiting.length === 1 ? others : { ...others, [key]: waiting.toSpliced(index, 1) } };
}

/** The copy goes right behind the message, so that a fifo channel keeps its order. */
function double(world: World, sent: InFlight): World {
  const { key, waiting, index } = find(world, sent);
  return { ...world, channels: { ...world.channels, [key]: waiting.toSpliced(index, 0, sent.message) } };
}

function find(world: World, { from, to, message }: InFlight) {
  const key = `${from}→${to}`;
  const waiting = world.channels[key] ?? [];
  const index = waiting.findIndex((other) => sameData(other, message));
  if (index < 0) throw new ConclaveError('bad-input', `No such '${message.type}' is on its way from ${from} to ${to}`);
  return { key, waiting, index };
}

/** The messages without repetitions: of two equal ones it does not matter which comes. */
const different = (messages: readonly Message[]): readonly Message[] =>
  messages.filter((message, index) => messages.findIndex((other) => sameData(other, message)) === index);

/** A text that two worlds share exactly if they are the same: under `any` order a channel is a multiset. */
export function worldKey(world: World, order: 'fifo' | 'any'): string {
  if (order === 'fifo') return canonical(world);
  const channels = Object.fromEntries(Object.entries(world.channels).map(([key, messages]) => [key, messages.map(canonical).sort()]));
  return canonical({ ...world, channels });
}
