import { functionsOf } from '@conclave/core/internal';
import type { NodeStep, NodeView, Property, Protocol, SystemView } from '@conclave/core/protocol';
import { budgetIn } from '../options/options.js';
import type { Limits } from '../search/limits/limits.js';
import { CompiledView } from '../search/tables/compiled-view.js';
import { CompiledWorlds } from '../search/tables/compiled-worlds.js';
import type { Graph } from '../search/traversal/graph.js';
import { type Search, search } from '../search/traversal/search.js';
import { Reads, WatchedView } from '../verdicts/properties/reads.js';
import { stepView } from '../verdicts/properties/step-violation.js';
import type { Budget } from '../worlds/budget.js';
import { canonical } from '../worlds/canonical.js';
import { nodeViewOf } from '../worlds/local-node.js';
import { timeOf, withFittingTick } from '../worlds/time.js';
import type { Action, CrashInside } from '../worlds/world.js';
import { Worlds } from '../worlds/worlds.js';
import { neighboursField } from './sends.js';
import { type MutationSystem, optionsOf } from './systems.js';

/** The parts of worlds and steps that properties have read so far. */
export class StepReads extends Reads {
  /** Whether a property has read notifications, which are part of no world. */
  notified = false;
}

/**
 * Notes in `reads` everything that the properties read in an explored system. This is enough for
 * its mutants, too: a predicate that reads the same values in two worlds gives the same answer.
 */
export function noteReads(
  explored: ExploredGraph,
  properties: readonly Property[],
  reads: StepReads,
): void {
  const watched = new WatchedView(new CompiledView(explored.compiled), reads);
  // A number of messages is no part of a state, but follows from the messages in flight.
  if (properties.some(({ kind }) => kind === 'atMost')) reads.inFlight = true;
  noteStepReads(explored, properties, watched, reads);
  noteSystemReads(explored, properties, reads);
  noteNodeReads(explored, properties, watched, reads);
}

function noteStepReads(
  { compiled }: ExploredGraph,
  properties: readonly Property[],
  watched: WatchedView,
  reads: StepReads,
): void {
  const ofSteps = properties
    .flatMap(functionsOf)
    .flatMap((asked) => (asked.sees === 'step' ? asked.ask : []));
  if (ofSteps.length === 0) return;
  for (const distinct of compiled.distinctSteps()) {
    const step = stepView(compiled, distinct);
    if (step) for (const allows of ofSteps) allows(watchedStep(step, watched, reads));
  }
}

function noteSystemReads(
  { compiled, search: { store } }: ExploredGraph,
  properties: readonly Property[],
  reads: StepReads,
): void {
  const ofSystems = properties
    .flatMap(functionsOf)
    .flatMap((asked) => (asked.sees === 'system' ? asked.ask : []));
  const view = new CompiledView(compiled);
  const watched: SystemView = new WatchedView(view, reads);
  const vector = new Int32Array(compiled.width);
  for (let world = 0; world < store.size; world++) {
    store.read(world, vector);
    view.at(vector);
    for (const holds of ofSystems) holds(watched);
  }
}

function noteNodeReads(
  { worlds, compiled, search: { store }, graph }: ExploredGraph,
  properties: readonly Property[],
  watched: WatchedView,
  reads: StepReads,
): void {
  const ofNodes = properties
    .flatMap(functionsOf)
    .flatMap(({ sees, ask }): OfNode[] => (sees === 'node' || sees === 'number' ? [ask] : []));
  if (ofNodes.length === 0) return;
  const { protocol, topology } = worlds;
  const viewIn = (vector: Int32Array, node: number): NodeView => {
    const { state, crashed } = compiled.encoding.configurationOf(vector, node);
    const id = topology.nodes[node] as string; // there is a table for each node
    return watched.watch(nodeViewOf(protocol, topology, id, state, crashed));
  };
  const stepped = new Set<string>();
  const before = new Int32Array(compiled.width);
  const after = new Int32Array(compiled.width);
  for (let world = 0; world < store.size; world++) {
    store.read(world, before);
    for (let edge = graph.first(world); edge < graph.end(world); edge++) {
      store.read(graph.target(edge), after);
      for (let node = 0; node < topology.nodes.length; node++) {
        const step = `${node} ${before[node]} ${after[node]}`;
        if (stepped.has(step)) continue;
        stepped.add(step);
        const views = [viewIn(before, node), viewIn(after, node)];
        for (const read of ofNodes) noteCall(read, views, reads);
      }
    }
  }
}

/** The same step, watched. What it sends is in flight after it. */
const watchedStep = (
  { before, after, cause, sent, notified }: NodeStep,
  watched: WatchedView,
  reads: StepReads,
): NodeStep => ({
  before: watched.watch(before),
  after: watched.watch(after),
  cause,
  get sent() {
    reads.inFlight = true;
    return sent;
  },
  get notified() {
    reads.notified = true;
    return notified;
  },
});

type OfNode = (node: NodeView) => unknown;

/** A function that throws counts as reading everything. */
function noteCall(read: OfNode, views: readonly NodeView[], reads: Reads): void {
  try {
    for (const view of views) read(view);
  } catch {
    reads.note('value', ({ value }) => value);
    reads.note('context', ({ context }) => context);
    reads.inFlight = true;
  }
}

/** Gives equal texts equal numbers; shared by the systems that are compared. */
export class Numbers {
  readonly #numbers = new Map<string, number>();

  of(text: string): number {
    const known = this.#numbers.get(text);
    if (known !== undefined) return known;
    const number = this.#numbers.size;
    this.#numbers.set(text, number);
    return number;
  }
}

/**
 * An explored system as properties see it: the visible part of each world, the action of each step.
 */
export class Labels {
  /** The visible part, by node and its configuration, and by channel and its content. */
  readonly #seen: number[][];
  readonly #actions: number[] = [];
  /** Of crashes in the middle of a step: their numbers, by node, local state and action. */
  readonly #crashes = new Map<string, number>();
  readonly #vector: Int32Array;
  readonly #projection: (node: NodeView) => string;
  /** Notifications, by node, local state and action. */
  readonly #notified = new Map<string, string>();

  constructor(
    readonly explored: ExploredGraph,
    private readonly reads: StepReads,
    private readonly numbers: Numbers,
  ) {
    const { compiled } = explored;
    this.#seen = Array.from({ length: compiled.width }, () => []);
    this.#vector = new Int32Array(compiled.width);
    this.#projection = reads.projection();
    if (reads.notified) this.#listen();
  }

  /** Writes the visible part of `world` into `into`, slot by slot. */
  read(world: number, into: Int32Array): void {
    const { compiled, search, worlds } = this.explored;
    const { nodes, links } = worlds.topology;
    search.store.read(world, this.#vector);
    for (let node = 0; node < nodes.length; node++)
      into[node] = this.#see(node, () => this.#nodeText(node));
    if (!this.reads.inFlight) return;
    for (let channel = 0; channel < links.length; channel++) {
      const text = () => {
        const messages = compiled.encoding.messagesOf(this.#vector, channel).map(canonical);
        return (worlds.order === 'any' ? messages.sort() : messages).join();
      };
      into[nodes.length + channel] = this.#see(nodes.length + channel, text);
    }
  }

  /** The notifications of `action` in `world`; none where no property reads them. */
  notifications(world: number, action: number): string {
    if (this.#notified.size === 0) return '';
    const { compiled, search } = this.explored;
    search.store.read(world, this.#vector);
    return compiled.configurations
      .flatMap(
        (places, node) =>
          this.#notified.get(keyOf(node, places.stateOf(this.#vector[node] as number), action)) ??
          [],
      )
      .join();
  }

  #listen(): void {
    const { compiled } = this.explored;
    for (const distinct of compiled.distinctSteps()) {
      const { notified = [] } = stepView(compiled, distinct) ?? {};
      if (notified.length > 0)
        this.#notified.set(
          keyOf(distinct.index, distinct.number, compiled.actionNumber(distinct.action)),
          canonical(notified),
        );
    }
  }

  /** The number of an action in `world`, the same in both systems. */
  action(world: number, action: number): number {
    const known = this.#actions[action];
    if (known !== undefined) return known;
    const taken = this.explored.compiled.actionOf(action);
    if (taken.type === 'crash' && taken.during) return this.#crashInside(world, action, taken);
    const number = this.numbers.of(canonical(taken));
    this.#actions[action] = number;
    return number;
  }

  /**
   * A crash in the middle of a step is known by what it loses: a mutant may send the same in
   * another order.
   */
  #crashInside(world: number, number: number, action: CrashInside): number {
    const { compiled, search, worlds } = this.explored;
    const { node, during, lost } = action;
    const index = worlds.topology.nodes.indexOf(node);
    search.store.read(world, this.#vector);
    const state = compiled.configurations[index]?.stateOf(this.#vector[index] as number) ?? -1;
    const key = keyOf(index, state, number);
    const known = this.#crashes.get(key);
    if (known !== undefined) return known;
    const taken =
      during.type === 'start'
        ? worlds.startOf(node)
        : worlds.perform(compiled.encoding.decode(this.#vector), during);
    const sends = taken.effects.flatMap((effect) =>
      effect.type === 'send' ? [canonical([effect.to, effect.message])] : [],
    );
    const unsent = sends.filter((_, position) => lost.includes(position)).sort();
    const label = this.numbers.of(canonical({ ...action, lost: unsent }));
    this.#crashes.set(key, label);
    return label;
  }

  #see(slot: number, text: () => string): number {
    const seen = this.#seen[slot] as number[];
    const value = this.#vector[slot] as number;
    const known = seen[value];
    if (known !== undefined) return known;
    const number = this.numbers.of(text());
    seen[value] = number;
    return number;
  }

  #nodeText(node: number): string {
    const { compiled, worlds } = this.explored;
    const { state, crashed } = compiled.encoding.configurationOf(this.#vector, node);
    const view = nodeViewOf(
      worlds.protocol,
      worlds.topology,
      worlds.topology.nodes[node] as string,
      state,
      crashed,
    ); // one of its nodes
    return canonical([
      crashed,
      [...view.tags].sort(),
      this.#projection({ ...view, context: ownFields(view.context) }),
    ]);
  }
}

/**
 * The context without the field that only mutants have: no property reads it by name, but some read
 * all fields.
 */
export function ownFields(context: NodeView['context']): NodeView['context'] {
  if (!Object.hasOwn(context, neighboursField)) return context;
  return Object.fromEntries(Object.entries(context).filter(([field]) => field !== neighboursField));
}

const keyOf = (node: number, state: number, action: number) => `${node} ${state} ${action}`;

/** The reachable worlds of a protocol on one system, and all steps between them. */
export interface ExploredGraph {
  readonly worlds: Worlds;
  readonly compiled: CompiledWorlds;
  readonly search: Search;
  readonly graph: Graph;
}

/** Explores every world without checking a property. Undefined when a limit is reached. */
export function exploredGraph(
  protocol: Protocol,
  system: MutationSystem,
  limits: Limits = {},
): ExploredGraph | undefined {
  const budget = budgetIn(optionsOf(system));
  return withFittingTick(timeOf(protocol, budget), (time) =>
    graphOf(new Worlds(protocol, system.topology, { ...budget, time }), limits),
  );
}

function graphOf(worlds: Worlds, limits: Limits): ExploredGraph | undefined {
  const compiled = new CompiledWorlds(worlds);
  const goOn = () => true;
  const found = search(
    compiled,
    { graph: true, limits },
    { found: goOn, ended: goOn, fault: () => false, progress: () => {} },
  );
  return found.complete && found.graph
    ? { worlds, compiled, search: found, graph: found.graph }
    : undefined;
}

/** The time of an explored system with its tick, so that ticks of its mutants are as long. */
export function timeIn({
  worlds: { protocol, clockwork, budget },
}: ExploredGraph): Pick<Budget, 'time'> {
  const time = timeOf(protocol, budget);
  return clockwork && clockwork.tick > 0 && time !== 'untimed'
    ? { time: { ...time, tick: clockwork.tick } }
    : {};
}

/** The world that these actions lead to. */
export const worldAfter = ({ worlds }: ExploredGraph, actions: readonly Action[]) =>
  actions.reduce((world, action) => worlds.next(world, action), worlds.initial);
