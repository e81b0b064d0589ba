/**
 * The worlds of a protocol as a system that a search can expand. Most steps of most worlds are
 * steps that some node has taken before, in the same local state and by the same event, whatever
 * the rest of the world was. So each distinct step is taken once, by plan, written to the tables
 * of the kernel, and confirmed by XState before a verdict says `holds`.
 */

import { byPlan, stops, uncheckedSteps } from '@conclave/core/internal';
import type { Json, NodeId } from '@conclave/core/protocol';
import { ConclaveError, type LocalState } from '@conclave/core/protocol';
import type { Link } from '@conclave/core/topology';
import { LocalNode, type Stepper } from '../../worlds/local-node.js';
import { backOf, losesHead } from '../../worlds/possible-actions.js';
import type { Clockwork } from '../../worlds/time.js';
import type { Action, World } from '../../worlds/world.js';
import { worldText } from '../../worlds/world-key.js';
import type { Worlds } from '../../worlds/worlds.js';
import * as eventNumbers from '../kernel/format/events.js';
import * as tables from '../kernel/format/tables.js';
import { Code, type Fault, Kernel, type Layout, type Table, type Visit } from '../kernel/kernel.js';
import type { Watch } from '../limits/limits.js';
import type { System, SystemTime } from '../traversal/search.js';
import { ActionTable, NetworkActions, NodeActions } from './actions.js';
import { confirmConditions, type Judge, type LocalOutcome } from './confirm.js';
import {
  afterEvent,
  type ConfigurationTable,
  ContentTable,
  Encoding,
  type Environment,
  type EnvironmentEvent,
  emptyEnvironment,
  type NodeConfiguration,
  ParcelTable,
} from './encoding.js';
import { DataInterner } from './interner.js';
import type { DistinctStep } from './local-steps.js';

/** The distinct steps of the nodes: in a local state, by an event. */
interface StepCount {
  readonly distinct: number;
  /** How many of them XState has confirmed. */
  readonly confirmed: number;
}

/** The time to compute a table entry, measured in table look-ups. */
const stepWeight = 32;

/**
 * A system of worlds as vectors: one integer per node, one per channel, one for the environment.
 *
 * A protocol has many worlds but few *local* states. Each distinct step (local state, event) is
 * taken once, by the compiled machine; the result is stored as numbers, and from then on it is a
 * table look-up. XState confirms each step before a property holds. {@link Worlds} defines what a
 * world and its actions are.
 */
export class CompiledWorlds implements System {
  readonly width: number;
  readonly configurations: readonly ConfigurationTable[];
  readonly parcels = new ParcelTable();
  readonly contents: ContentTable;
  readonly environments = new DataInterner<Environment>();
  readonly code = new Code();
  readonly layout: Layout;
  readonly encoding: Encoding;
  readonly time?: CompiledTime;
  readonly #nodes: readonly NodeActions[];
  readonly #actions: ActionTable;
  readonly #network: NetworkActions;
  readonly #links: readonly Link[];
  readonly #nodeIndex: ReadonlyMap<NodeId, number>;
  readonly #events = new DataInterner<EnvironmentEvent>();
  readonly #values = new DataInterner<Json>();
  /** By step that fails. */
  readonly #errors = new Map<number, ConclaveError>();
  #kernel: Kernel | undefined;

  /** `watch` limits the time of building, and of machine steps later. @throws {LimitReached} */
  constructor(
    readonly worlds: Worlds,
    private readonly watch?: Watch,
    /** Takes the steps of the nodes. */
    stepper: Stepper = byPlan,
  ) {
    const { topology, order, clockwork } = worlds;
    const { nodes, links } = topology;
    this.#links = links;
    this.#nodeIndex = new Map(nodes.map((id, index) => [id, index]));
    this.#actions = new ActionTable(order, worlds.protocol.commands);
    const numbers = { worlds, actions: this.#actions, parcels: this.parcels, code: this.code };
    const [events, errors] = [this.#events, this.#errors];
    this.#nodes = nodes.map((id) => {
      watch?.look();
      return new NodeActions({ ...numbers, events, errors }, id, stepper);
    });
    if (watch) watch.steps = () => this.steps.distinct;
    this.configurations = this.#nodes.map(({ configurations }) => configurations);
    this.contents = new ContentTable(order);
    this.environments.id(emptyEnvironment); // number 0
    this.#network = new NetworkActions({
      ...numbers,
      ...{ contents: this.contents, environments: this.environments, events },
      ...{ nodeIndex: this.#nodeIndex, values: this.#values },
    });
    for (const [type] of Object.entries(eventNumbers).sort(([, one], [, other]) => one - other))
      this.#events.id({ type } as EnvironmentEvent); // each has the number that the kernel knows
    // a topology's links connect its own nodes
    const numberOf = (id: NodeId) => this.#nodeIndex.get(id) ?? -1;
    this.layout = {
      nodes: nodes.length,
      receivers: links.map(({ to }) => numberOf(to)),
      senders: links.map(({ from }) => numberOf(from)),
      inProcess: worlds.inProcess.map((link) => [
        links.indexOf(link),
        links.indexOf(backOf(links, link)),
      ]),
      crashesInside: worlds.crashesInside,
      unsent: worlds.budget.unsent === true,
      ...(clockwork && { tick: this.#actions.id({ type: 'tick' }) }),
    };
    this.width = nodes.length + links.length + 1;
    this.encoding = new Encoding(this, topology);
    if (clockwork && this.layout.tick !== undefined)
      this.time = new CompiledTime(this, clockwork, this.layout.tick);
  }

  /** Searches the system in WebAssembly. */
  get kernel(): Kernel {
    this.#kernel ??= new Kernel(this);
    return this.#kernel;
  }

  initial(into: Int32Array): void {
    this.encoding.encode(this.worlds.initial, into);
  }

  actionOf(action: number): Action {
    return this.#actions.item(action);
  }

  fairness(action: number): number {
    return this.#actions.fairness(action);
  }

  draws(state: Int32Array): boolean {
    return this.weights(state) !== undefined;
  }

  /** The weights of the actions, in their order, where one of them is drawn at random. */
  weights(state: Int32Array): readonly number[] | undefined {
    return this.environments.item(state[this.width - 1] as number).choosing[0]?.weights;
  }

  errorOf(step: number): ConclaveError {
    return this.#errors.get(step) as ConclaveError; // called for steps that fail only
  }

  /** Whether an action is an optional command, which the application may never issue. */
  isOptional(action: number): boolean {
    return this.#actions.isOptional(action);
  }

  /**
   * Every distinct step so far: a node, its local state and the action. `from`: by node, how many
   * to leave out.
   */
  *distinctSteps(from: readonly number[] = []): Generator<DistinctStep> {
    for (const [index, { steps }] of this.#nodes.entries())
      yield* steps.distinct(index, from[index]);
  }

  /** How many distinct steps it has taken, and how many of them XState has confirmed. */
  get steps(): StepCount {
    return {
      distinct: this.distinct,
      confirmed: this.#nodes.reduce((sum, { steps }) => sum + steps.confirmed, 0),
    };
  }

  /** How many distinct steps it has taken. */
  get distinct(): number {
    let sum = 0;
    for (const { steps } of this.#nodes) sum += steps.size;
    return sum;
  }

  /**
   * Takes every distinct step a second time, by XState, and evaluates the conditions of commands
   * and crashes again.
   *
   * @throws {ConclaveError} `impure` for a machine, or a condition of the budget or of a command,
   * that is not deterministic.
   * @throws {LimitReached}
   */
  confirm(): void {
    const tick = () => this.watch?.tick(stepWeight);
    for (const { id, steps } of this.#nodes.toReversed())
      steps.confirm(this.#judge(id), this.worlds.order, tick);
    confirmConditions(
      this,
      this.#nodes.map(({ steps }) => steps.node),
      tick,
    );
  }

  /** Whether a node may crash in a configuration; undefined where that was not asked. */
  knownMayCrash(node: number, configuration: number): boolean | undefined {
    return this.#node(node).knownMayCrash(configuration);
  }

  /** The node whose steps XState takes. */
  #judge(id: NodeId): Judge {
    return {
      checked: LocalNode.of(this.worlds, id),
      unchecked: LocalNode.of(this.worlds, id, uncheckedSteps),
    };
  }

  /**
   * The number of an action as its node takes it: for the node a delivery is the same however long
   * the message could still have taken.
   */
  asTaken(action: number): number {
    return this.time ? this.#actions.withoutDue(action) : action;
  }

  /** What an action of a node leads to in a local state, by their numbers. */
  outcome(node: number, state: number, action: number): LocalOutcome {
    return this.#node(node).steps.outcome(state, this.asTaken(action));
  }

  localState(node: number, state: number): LocalState {
    return this.#node(node).steps.stateOf(state);
  }

  /** The number of an action. */
  actionNumber(action: Action): number {
    return this.#actions.id(action);
  }

  expand(state: Int32Array, into: Int32Array, visit: Visit, fault: Fault): void {
    this.kernel.expand(state, into, visit, fault);
  }

  /** The entry of a table; the kernel asks for each once. */
  entry(table: Table, of: number, first: number, second: number): number {
    const { code } = this;
    this.watch?.tick(stepWeight);
    switch (table) {
      case tables.own:
        return code.writeList(this.#node(of).own(first));
      case tables.nodeLater:
        return this.time?.nodeLater(of, first) ?? 0;
      case tables.contentLater:
        return this.time?.contentLater(first) ?? 0;
      case tables.isDue:
        return this.parcels.due(first)?.least === 0 ? 1 : 0;
      case tables.crashed:
        return this.#place(of, first).crashed ? 1 : 0;
      case tables.mayCrash:
        return this.#node(of).mayCrash(first) ? 1 : 0;
      case tables.crash:
        return this.#node(of).crash(first);
      case tables.restart:
        return this.#node(of).restart(first);
      case tables.inside:
        return code.writeList(this.#node(of).inside(first));
      case tables.insideStarts:
        return code.writeList(insideStarts(this, first));
      case tables.answer:
        return this.#node(of).answer(first, this.#values.item(second));
      case tables.delivery:
        return this.#delivery(of, first, second);
      case tables.drop:
        return this.#network.on(of, 'drop', first);
      case tables.disturbances:
        return code.writeList(this.#network.disturbances(of, first, second));
      case tables.pushed:
        return this.contents.push(first, second);
      case tables.dequeues:
        return code.writeList(this.contents.dequeues(first));
      case tables.unsent:
        return code.writeList(this.#network.unsent(of, first));
      case tables.stops: {
        const messages = this.contents.list(first).map((parcel) => this.parcels.message(parcel));
        return (messages.some(stops) ? 1 : 0) | (losesHead(messages) ? 2 : 0);
      }
      case tables.environment:
        return code.writeList(this.#network.environment(first));
      case tables.after: {
        const next = afterEvent(this.environments.item(first), this.#events.item(second));
        return this.environments.id(next);
      }
    }
  }

  #delivery(channel: number, number: number, message: number): number {
    const { to } = this.#links[channel] as Link;
    const node = this.#nodeIndex.get(to) ?? -1;
    // A message to a crashed node is lost.
    if (this.#place(node, number).crashed)
      return this.#node(node).step(number, this.#network.on(channel, 'drop', message));
    const action = this.#network.delivery(channel, message);
    return this.#node(node).step(number, action, {}, this.asTaken(action));
  }

  #place(node: number, place: number): NodeConfiguration {
    return this.#node(node).configurations.item(place);
  }

  #node(node: number): NodeActions {
    return this.#nodes[node] as NodeActions; // a number of a node
  }
}

/** A system whose worlds and actions are numbered. */
interface Numbered {
  readonly worlds: Worlds;
  readonly environments: DataInterner<Environment>;
  readonly encoding: Encoding;
  readonly width: number;
  actionNumber(action: Action): number;
}

/**
 * The crashes in the middle of a start, in the first world with this environment: action, how many
 * numbers change, slot, number, slot … Only slots of the node change.
 */
function insideStarts(compiled: Numbered, environment: number): readonly number[] {
  const { worlds, environments, encoding, width } = compiled;
  const { remaining, ...rest } = environments.item(environment);
  const world: World = {
    ...worlds.initial,
    ...rest,
    remaining: { ...worlds.initial.remaining, ...remaining },
  };
  const [before, after] = [new Int32Array(width), new Int32Array(width)];
  encoding.encode(world, before);
  const starts = worlds
    .actions(world)
    .filter((action) => action.type === 'crash' && action.during?.type === 'start');
  return starts.flatMap((action) => {
    encoding.encode(worlds.next(world, action), after);
    const changed = [...after.keys()].filter((slot) => after[slot] !== before[slot]);
    return [
      compiled.actionNumber(action),
      changed.length,
      ...changed.flatMap((slot) => [slot, after[slot] as number]),
    ];
  });
}

/** What the time of a compiled system is computed from. */
interface Timed {
  readonly configurations: readonly ConfigurationTable[];
  readonly contents: ContentTable;
  readonly parcels: ParcelTable;
  readonly encoding: Encoding;
  readonly kernel: Kernel;
  readonly environments: DataInterner<Environment>;
  actionOf(action: number): Action;
  readonly width: number;
}

/** Exact time on numbers. */
class CompiledTime implements SystemTime {
  constructor(
    private readonly system: Timed,
    private readonly clockwork: Clockwork,
    readonly tick: number,
  ) {}

  /**
   * 0 if no time can pass in a configuration of `node`, else 1 + the configuration one tick later.
   */
  nodeLater(node: number, number: number): number {
    const places = this.system.configurations[node] as ConfigurationTable;
    const { clock, ...rest } = places.item(number);
    const later = clock && this.clockwork.nodeLater(clock);
    return later
      ? 1 + places.with(places.stateOf(number), places.rest({ ...rest, clock: later }))
      : 0;
  }

  /** 0 if no time can pass with this content of a channel, else 1 + the content one tick later. */
  contentLater(number: number): number {
    const { contents, parcels } = this.system;
    const list = contents.list(number);
    const later = this.clockwork.channelLater(
      list.map((parcel) => parcels.due(parcel) ?? { least: 0, most: 0 }),
    );
    return later
      ? 1 + contents.of(later.map((due, index) => parcels.at(list[index] as number, due)))
      : 0;
  }

  runs(vector: Int32Array): boolean {
    const { choosing } = this.system.environments.item(vector[this.system.width - 1] as number);
    return choosing.length > 0 || this.system.kernel.runs(vector); // a choice is answered at once
  }

  isCrash(action: number): boolean {
    return this.system.actionOf(action).type === 'crash';
  }

  stopped(vector: Int32Array): ConclaveError {
    const where = worldText(this.system.encoding.decode(vector));
    return new ConclaveError(
      'bad-protocol',
      `Time stops: in ${where} something has to happen at this moment, and either nothing can, or it happens again and again`,
      'Perhaps a stay is limited that nothing ends in time, or messages that take no time are sent forever.',
    );
  }
}
