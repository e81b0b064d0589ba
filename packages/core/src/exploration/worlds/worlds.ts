import { badInput } from '../../base/error.js';
import { answerOf } from '../../protocol/answer.js';
import { ofNode } from '../../protocol/by-node.js';
import { requireTopology } from '../../protocol/check.js';
import type { Stepper } from '../../protocol/compiled/stepper.js';
import type { Command, Message, NodeId } from '../../protocol/node.js';
import type { SystemView } from '../../protocol/property.js';
import type { Protocol } from '../../protocol/protocol.js';
import type { LocalState, Step, Timer } from '../../protocol/step.js';
import type { Topology } from '../../topology/topology.js';
import { afterNetworkAction } from './after-network-action.js';
import type { Budget } from './budget.js';
import { sameData } from './canonical.js';
import { checkBudget } from './check-budget.js';
import { clocksLater } from './clocks-later.js';
import { armedBy, Clockwork, type NodeClock } from './clockwork.js';
import { type Application, Commands } from './commands.js';
import { crashCondition } from './crash-places.js';
import { emptyWorld } from './empty-world.js';
import { take, withoutMessages } from './in-flight.js';
import { applicationOf, localOf } from './in-world.js';
import { LocalNode } from './local-node.js';
import { sidesOf } from './partition.js';
import { partsOf, possibleActions } from './possible-actions.js';
import { timeOf } from './time.js';
import { nodeViewOf, viewOf } from './view.js';
import { withClock, withEffects, withoutSends } from './with-effects.js';
import {
  type Action,
  actorOf,
  type CrashInside,
  isStep,
  type Outcome,
  type StepAction,
  type World,
} from './world.js';

/**
 * The transition system of a protocol on a network with a budget: the definition that every faster
 * search is compared with.
 *
 * While the network is split, a message sent across is lost at once. A message that was already in
 * flight across may be lost or, after the heal, arrive: as on a simulated channel that is cut.
 *
 * A crash falls between two steps, or into a step: the state is the one after it, which the node
 * has stored before it sends, and any part of what it sends is lost ({@link partsOf}).
 */
export class Worlds {
  readonly initial: World;
  readonly commands: Commands;
  readonly order: 'fifo' | 'any';
  /** Set in exact time. */
  readonly clockwork: Clockwork | undefined;
  readonly #nodes: ReadonlyMap<NodeId, LocalNode>;
  /** The sides to which the network may split. */
  readonly sides: readonly (readonly NodeId[])[];
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
    this.sides = (budget.partitions ?? 0) > 0 ? sidesOf(topology) : [];
    this.#nodes = new Map(topology.nodes.map((id) => [id, LocalNode.of(this, id, stepper)]));
    this.commands = new Commands(protocol, topology, budget.inputs);
    let world = emptyWorld(this);
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

  /** The actions that are possible, in a fixed order. */
  actions(world: World): readonly Action[] {
    return possibleActions(this, world);
  }

  /**
   * The world after `action`.
   * @throws {ConclaveError} `unhandled` or `bad-protocol` when a machine breaks the node contract.
   */
  next(world: World, action: Action): World {
    return this.perform(world, action).world;
  }

  /** Like {@link next}, with the effects of the acting node. */
  perform(world: World, action: Action): Outcome {
    const begun = this.#begun(world, action);
    if (action.type === 'crash')
      return action.during ? this.#crashInside(world, action) : this.#crash(begun, action.node);
    return isStep(action)
      ? this.#step(begun, action)
      : { world: afterNetworkAction(this, begun, action), effects: [] };
  }

  /**
   * No other node can crash in the middle of its start after this action; choices are answered in
   * the middle of the starts.
   */
  #begun({ starting, ...world }: World, action: Action): World {
    const left = action.type === 'choose' ? starting?.filter((id) => id !== action.node) : [];
    return left && left.length > 0 ? { ...world, starting: left } : world;
  }

  /** A step of a node; `lost`: the positions of the sends that do not leave it. */
  #step(world: World, action: StepAction, lost: readonly number[] = []): Outcome {
    const id = actorOf(action);
    const before = this.#before(world, action);
    const taken = this.node(id).perform(localOf(world, id), action);
    const left =
      lost.length === 0 ? taken : { ...taken, effects: withoutSends(taken.effects, lost) };
    const next = this.#outcome(
      before,
      id,
      left,
      action.type === 'command' ? action.command : undefined,
    );
    const [, ...open] = world.choosing; // the choices that an answer leads to come first
    return {
      world: action.type === 'choose' ? { ...next, choosing: [...next.choosing, ...open] } : next,
      effects: left.effects,
    };
  }

  /** The world without what a step takes from it. */
  #before(world: World, action: StepAction): World {
    if (action.type === 'deliver') return take(world, action);
    if (action.type === 'choose') return { ...world, choosing: [] };
    if (action.type !== 'restart') return world;
    const { crashed, remaining } = world;
    return {
      ...world,
      crashed: crashed.filter((id) => id !== action.node),
      remaining: { ...remaining, restarts: remaining.restarts - 1 },
    };
  }

  #crash(world: World, id: NodeId): Outcome {
    const { crashed, remaining, choosing } = world;
    const left = {
      ...remaining,
      crashes: remaining.crashes - 1,
      fulfilled: { ...remaining.fulfilled, [id]: [] },
    };
    const open = choosing.filter(({ node }) => node !== id);
    const { starting = [], ...rest } = world;
    const others = left.crashes > 0 ? starting.filter((other) => other !== id) : [];
    const down = {
      ...rest,
      ...(others.length > 0 && { starting: others }),
      crashed: [...crashed, id].sort(),
      choosing: open,
      remaining: left,
    };
    const { effects } = this.node(id).perform(localOf(world, id), { type: 'crash', node: id });
    return {
      world: withEffects(this, withClock(down, id, this.clockwork?.stopped), id, effects),
      effects,
    };
  }

  #crashInside(world: World, { node, during, lost }: CrashInside): Outcome {
    const stepped =
      during.type === 'start'
        ? this.#started(world, node, lost)
        : this.#step(this.#begun(world, during), during, lost);
    const { world: next, effects } = this.#crash(stepped.world, node);
    return { world: next, effects: [...stepped.effects, ...effects] };
  }

  /** The world as if a node that has just started had lost these sends of its start. */
  #started({ starting = [], ...world }: World, id: NodeId, lost: readonly number[]): Outcome {
    const sends = withoutSends(this.startOf(id).effects, lost).filter(
      ({ type }) => type === 'send',
    );
    const emptied = this.topology
      .successors(id)
      .reduce<World>((before, to) => withoutMessages(before, { from: id, to }), world);
    return { world: withEffects(this, { ...emptied, starting }, id, sends), effects: [] };
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

  /** A world as properties see it. */
  view(world: World): SystemView {
    return viewOf(this.protocol, this.topology, world);
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

  /** How a node has started. */
  startOf(id: NodeId): Step {
    this.node(id); // refuses an unknown one
    return this.#starts.get(id) as Step; // each node has started
  }

  /** Whether crashes fall into steps as well. */
  get crashesInside(): boolean {
    return (this.budget.crashes ?? 0) > 0 && !this.budget.atomicSteps;
  }

  readonly isNotice = ({ type }: Message): boolean => type === this.protocol.crashNotice;

  /** Whether nothing can happen any more. */
  isQuiescent(world: World): boolean {
    return this.actions(world).length === 0 && (!this.clockwork || this.isTimeless(world));
  }

  /** Whether time passes in a world without a trace: no clock runs, and nothing is due. */
  isTimeless(world: World): boolean {
    const later = clocksLater(this, world);
    return world.choosing.length === 0 && later !== undefined && sameData(world.clocks, later);
  }

  /** The world one tick later; undefined if something is due now, or if time changes nothing. */
  later(world: World): World | undefined {
    const clocks = clocksLater(this, world);
    return clocks && !sameData(world.clocks, clocks) ? { ...world, clocks } : undefined;
  }

  /** @throws {ConclaveError} `bad-input` for an unknown node. */
  node(id: NodeId): LocalNode {
    const node = this.#nodes.get(id);
    if (!node) throw badInput(`The network '${this.topology.spec}' has no node '${id}'`);
    return node;
  }

  #outcome(world: World, id: NodeId, taken: Step, command?: Command): World {
    const { commands, fulfilled } = this.commands.after(
      id,
      taken.state,
      applicationOf(world, id),
      command,
    );
    const { remaining } = world;
    const now = {
      ...remaining,
      commands: { ...remaining.commands, [id]: commands },
      fulfilled: { ...remaining.fulfilled, [id]: fulfilled },
    };
    return this.#settle({ ...world, remaining: now }, id, taken);
  }

  #settle(world: World, id: NodeId, { state, effects }: Step): World {
    const clock = this.clockwork?.after(
      ofNode(world.nodes, id),
      world.clocks && ofNode(world.clocks.nodes, id),
      state,
      armedBy(effects),
    );
    return withEffects(
      this,
      withClock({ ...world, nodes: { ...world.nodes, [id]: state } }, id, clock),
      id,
      effects,
    );
  }
}
