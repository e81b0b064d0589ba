/**
 * The paths of a model test: the graph of a system by `xstate/graph`, with the transitions that
 * each step takes, and its shortest or simple paths, enumerated up to a limit.
 */

import { checkOptions, readable } from '@conclave/core/internal';
import type { Protocol } from '@conclave/core/protocol';
import { ConclaveError } from '@conclave/core/protocol';
import type { Topology } from '@conclave/core/topology';
import { getAdjacencyMap } from 'xstate/graph';
import { withoutChance } from '../base/resumable.js';
import { budgetIn, checkGiven, pathOptions } from '../options/options.js';
import { Interner } from '../search/tables/interner.js';
import { isExplicit, watchMachine } from '../verdicts/coverage.js';
import type { Budget } from '../worlds/budget.js';
import { actionText } from '../worlds/run-lines.js';
import { timeOf, withFittingTick } from '../worlds/time.js';
import type { Action } from '../worlds/world.js';
import { nextOrFault, Worlds } from '../worlds/worlds.js';
import { type Model, type ModelSnapshot, modelOf } from './model.js';

export interface PathOptions extends Budget {
  /**
   * `shortest`: to each world one of the shortest paths. `simple`: to each world every path that
   * visits no world twice; there are very many. Of both, only those that are no beginning of
   * another one. Default `shortest`.
   */
  readonly kind?: 'shortest' | 'simple';
  /** Where the generation stops; it is incomplete then. */
  readonly limits?: {
    /** How many worlds may be found. Default 20,000. */
    readonly worlds?: number;
    /** Default 20,000. */
    readonly paths?: number;
    /** The length of all paths together. Default 2,000,000. */
    readonly steps?: number;
    /** Called from time to time; true ends it. */
    readonly stop?: () => boolean;
  };
  /** Called from time to time: how many worlds and paths there are so far. */
  readonly onProgress?: (worlds: number, paths: number) => void;
}

/** The paths that a model test of a system generates. */
export interface Paths {
  readonly protocol: string;
  readonly topology: string;
  readonly kind: 'shortest' | 'simple';
  /** How many worlds were found. */
  readonly worlds: number;
  /** The longest first. */
  readonly paths: readonly {
    /** By step, the position of its action among those of its world, from 0. */
    readonly steps: readonly number[];
    /** By step, the position of its text in the list of actions. */
    readonly actions: readonly number[];
    /** The positions in the list of transitions of those that it takes. */
    readonly takes: readonly number[];
  }[];
  /** What the actions of the paths are called, as in a trace: `b request(1) from a`. */
  readonly actions: readonly string[];
  /** The transitions of the statecharts, role by role as they are there, and how paths use them. */
  readonly transitions: readonly {
    readonly role: string;
    /** Such as `released.away: always [tokenIsHere] → released.here`. */
    readonly text: string;
    /** How many paths take it. */
    readonly paths: number;
    /**
     * Whether some step takes it, between any two worlds that were found: if no path does, a test
     * that follows more paths would.
     */
    readonly isPossible: boolean;
  }[];
  /** In exact time: the step of time in milliseconds with which the actions are numbered. */
  readonly tick?: number;
  /** Whether these are all paths. */
  readonly complete: boolean;
  /** What ended it. */
  readonly limit?: 'worlds' | 'paths' | 'steps' | 'interrupted';
  /** Why an action fails, the first that does: it is in no path, and no path leads beyond it. */
  readonly fault?: string;
}

const defaults = { worlds: 20_000, paths: 20_000, steps: 2_000_000 };

/**
 * The paths that a model test generates from {@link model}, by `xstate/graph`: those of
 * `TestModel.getShortestPaths()` or `getSimplePaths()`. For each, the transitions of the
 * statecharts that it takes.
 *
 * @throws {ConclaveError} `bad-topology`; `bad-input` for an unknown or invalid option.
 * @example paths(ricartAgrawala, complete(2), { commands: 1 }).transitions.filter(({ paths }) =>
 * paths === 0).map(({ text }) => text)
 */
export function paths(protocol: Protocol, topology: Topology, options: PathOptions = {}): Paths {
  checkGiven('paths', { protocol, topology });
  checkOptions('paths', pathOptions, options);
  return withoutChance(() =>
    withFittingTick(timeOf(protocol, options), (time) =>
      generatePaths(protocol, topology, { ...options, time }),
    ),
  );
}

/** Between two calls of `onProgress`. */
const progressEvery = 256;

function generatePaths(protocol: Protocol, topology: Topology, options: PathOptions): Paths {
  const { kind = 'shortest', limits, onProgress } = options;
  const { worlds: mostWorlds, ...most } = { ...defaults, ...limits };
  const stop = limits?.stop;
  let told = 0;
  const graph = pathGraph(protocol, topology, budgetIn(options), {
    worlds: mostWorlds,
    stop,
    onWorld: (found) => {
      if (found < told + progressEvery) return;
      told = found;
      onProgress?.(found, 0);
    },
  });
  const found = enumeratePaths(graph, kind, {
    ...most,
    stop,
    onPath: (count) => {
      if (count % progressEvery === 0) onProgress?.(graph.edges.length, count);
    },
  });
  const uses = graph.transitions.map(() => 0);
  for (const { takes } of found.paths)
    for (const position of takes) uses[position] = (uses[position] ?? 0) + 1;
  const possible = new Set([
    ...graph.started,
    ...graph.edges.flatMap((edges) => edges.flatMap(({ taken }) => taken)),
  ]);
  const limit = graph.limit ?? found.limit;
  return {
    protocol: protocol.name,
    topology: topology.spec,
    kind,
    worlds: graph.edges.length,
    paths: found.paths.toSorted((one, other) => other.steps.length - one.steps.length),
    actions: graph.texts,
    transitions: graph.transitions.map((transition, position) => ({
      ...transition,
      paths: uses[position] ?? 0,
      isPossible: possible.has(position),
    })),
    ...(graph.tick === undefined ? {} : { tick: graph.tick }),
    complete: limit === undefined,
    ...(limit && { limit }),
    ...(graph.fault && { fault: graph.fault.message }),
  };
}

/** A transition of a role's statechart. */
interface RoleTransition {
  readonly role: string;
  /** Such as `released.away: always [tokenIsHere] → released.here`. */
  readonly text: string;
}

/** A step between two worlds. */
interface PathEdge {
  /** The number of the world that it leads to. */
  readonly target: number;
  /** The position of the action among those of its world. */
  readonly number: number;
  /** The position of its text. */
  readonly text: number;
  /** The positions of the transitions that it takes. */
  readonly taken: readonly number[];
}

/** The worlds of a system and the steps between them, as far as the limits allow. */
interface PathGraph {
  /** By world, in the order in which they were found; world 0 is the initial one. */
  readonly edges: readonly (readonly PathEdge[])[];
  readonly transitions: readonly RoleTransition[];
  /** What the actions are called; each text once. */
  readonly texts: readonly string[];
  /** The positions of the transitions that the start takes. */
  readonly started: readonly number[];
  /** In exact time: the step of time in milliseconds. */
  readonly tick?: number;
  /** Set if worlds were left out. */
  readonly limit?: 'worlds' | 'interrupted';
  /** Why the first action failed that did: it is in no path. */
  readonly fault?: ConclaveError;
}

interface GraphBounds {
  readonly worlds: number;
  readonly stop?: (() => boolean) | undefined;
  readonly onWorld?: ((worlds: number) => void) | undefined;
}

/**
 * The graph of a system, as `xstate/graph` finds it for a model test. Copies of the machines record
 * the transitions that each step takes.
 *
 * @throws {ConclaveError} `bad-topology`, `bad-input`.
 */
function pathGraph(
  protocol: Protocol,
  topology: Topology,
  budget: Budget,
  bounds: GraphBounds,
): PathGraph {
  return new PathFinder(protocol, topology, budget, bounds).graph();
}

class PathFinder {
  readonly #recording: ReturnType<typeof recordTransitions>;
  readonly #system: Worlds;
  readonly #model: Model;
  /** The positions of the transitions that the start takes. */
  readonly #started: readonly number[];
  /** Worlds and actions by their texts. */
  readonly #worlds = new Interner<string>();
  readonly #texts = new Interner<string>();
  readonly #known = new WeakMap<ModelSnapshot, number>();
  readonly #steps = new WeakMap<Action, PathEdge & { readonly next: ModelSnapshot }>();
  #limit: PathGraph['limit'];
  #fault: ConclaveError | undefined;

  constructor(
    private readonly protocol: Protocol,
    topology: Topology,
    budget: Budget,
    private readonly bounds: GraphBounds,
  ) {
    this.#recording = recordTransitions(protocol);
    this.#system = new Worlds(this.#recording.copy, topology, budget);
    this.#model = modelOf(this.#system);
    this.#started = this.#recording.takeNotes();
  }

  graph(): PathGraph {
    const { logic, options } = this.#model;
    const adjacency = getAdjacencyMap(
      { ...logic, transition: (snapshot, action) => this.#steps.get(action)?.next ?? snapshot },
      {
        ...options,
        events: (snapshot) => this.#possible(snapshot),
        serializeState: (snapshot) =>
          `world ${this.#known.get(snapshot) ?? this.#numberOf(snapshot)}`,
      },
    );
    const edges: (readonly PathEdge[])[] = [];
    for (const { state, transitions: leaving } of Object.values(adjacency)) {
      const events = Object.values<{ readonly event: Action }>(leaving).map(({ event }) => event);
      edges[this.#known.get(state) ?? 0] = events.flatMap((event) => this.#steps.get(event) ?? []);
    }
    const { clockwork } = this.#system;
    return {
      ...{ edges, transitions: this.#recording.transitions },
      ...{ texts: this.#texts.items, started: this.#started },
      ...(clockwork && { tick: clockwork.tick }),
      ...(this.#limit && { limit: this.#limit }),
      ...(this.#fault && { fault: this.#fault }),
    };
  }

  /** The actions of a world that do not fail; none once a limit is reached. */
  #possible(snapshot: ModelSnapshot): Action[] {
    const { worlds: most, stop, onWorld } = this.bounds;
    if (!this.#limit && stop?.()) this.#limit = 'interrupted';
    if (!this.#limit && this.#worlds.items.length > most) this.#limit = 'worlds';
    if (this.#limit) return [];
    onWorld?.(this.#worlds.items.length);
    return this.#system
      .actions(snapshot.world)
      .filter((action, number) => this.#take(snapshot, action, number));
  }

  /** Notes the step of an action; false if it fails. */
  #take(snapshot: ModelSnapshot, action: Action, number: number): boolean {
    const { takeNotes } = this.#recording;
    takeNotes();
    const world = nextOrFault(this.#system, snapshot.world, action);
    if (world instanceof ConclaveError) {
      this.#fault ??= world;
      return false;
    }
    const next = { ...snapshot, world };
    const text = actionText(this.protocol, action);
    this.#steps.set(action, {
      ...{ next, number, taken: takeNotes(), target: this.#numberOf(next) },
      text: this.#texts.id(text, () => text),
    });
    return true;
  }

  #numberOf(snapshot: ModelSnapshot): number {
    const text = this.#model.options.serializeState(snapshot);
    const number = this.#worlds.id(text, () => text);
    this.#known.set(snapshot, number);
    return number;
  }
}

/**
 * A copy of a protocol whose machines record the transitions that they take, and what returns the
 * positions of those taken since the last time.
 */
function recordTransitions(protocol: Protocol) {
  const { shown } = readable(protocol);
  const roles = Object.entries(protocol.roles).map(([name, role]) => ({
    name,
    role,
    ...watchMachine(role.machine, shown, protocol.drawn && isExplicit),
  }));
  const copy: Protocol = {
    ...protocol,
    roles: Object.fromEntries(roles.map(({ name, role, machine }) => [name, { ...role, machine }])),
  };
  const recorded = roles.flatMap(({ name, transitions }) =>
    transitions.map((transition) => ({ role: name, transition })),
  );
  return {
    copy,
    transitions: recorded.map(
      ({ role, transition }): RoleTransition => ({ role, text: transition.text }),
    ),
    takeNotes: (): readonly number[] => {
      const taken: number[] = [];
      for (const [position, { transition }] of recorded.entries()) {
        if (transition.taken) taken.push(position);
        transition.taken = false;
      }
      return taken;
    },
  };
}

/** One path, from the initial world. */
interface GeneratedPath {
  /** By step, the position of its action among those of its world, from 0. */
  readonly steps: readonly number[];
  /** By step, the position of its text in the list of actions. */
  readonly actions: readonly number[];
  /** The positions in the list of transitions of those that it takes. */
  readonly takes: readonly number[];
}

interface PathBounds {
  readonly paths: number;
  /** Of all paths together. */
  readonly steps: number;
  readonly stop?: (() => boolean) | undefined;
  readonly onPath?: (paths: number) => void;
}

interface Enumerated {
  readonly paths: readonly GeneratedPath[];
  readonly limit?: 'paths' | 'steps' | 'interrupted';
}

/** The paths of a graph, without those that are the beginning of another one. */
function enumeratePaths(
  graph: PathGraph,
  kind: 'shortest' | 'simple',
  bounds: PathBounds,
): Enumerated {
  return kind === 'shortest' ? treePaths(graph, bounds) : simplePaths(graph, bounds);
}

/** Collects paths up to the bounds. */
class Collected {
  readonly paths: GeneratedPath[] = [];
  limit: Enumerated['limit'];
  #steps = 0;

  constructor(
    private readonly started: readonly number[],
    private readonly bounds: PathBounds,
  ) {}

  /** Whether there is room for more. */
  add(path: readonly PathEdge[]): boolean {
    const { paths, steps: mostSteps, stop, onPath } = this.bounds;
    if (this.paths.length >= paths) this.limit = 'paths';
    else if (this.#steps + path.length > mostSteps) this.limit = 'steps';
    else if (this.paths.length % 64 === 63 && stop?.()) this.limit = 'interrupted';
    if (this.limit) return false;
    const takes = new Set(this.started);
    for (const { taken } of path) for (const transition of taken) takes.add(transition);
    const steps = path.map(({ number }) => number);
    const actions = path.map(({ text }) => text);
    this.paths.push({ steps, actions, takes: [...takes].sort((one, other) => one - other) });
    this.#steps += path.length;
    onPath?.(this.paths.length);
    return true;
  }

  get result(): Enumerated {
    return { paths: this.paths, ...(this.limit && { limit: this.limit }) };
  }
}

/** The shortest paths, one to each world, are a tree; those to its leaves contain the others. */
function treePaths({ edges, started }: PathGraph, bounds: PathBounds): Enumerated {
  const before = new Map<number, { readonly from: number; readonly edge: PathEdge }>();
  const inner = new Set<number>();
  const queue = [0];
  for (const from of queue)
    for (const edge of edges[from] ?? []) {
      if (edge.target === 0 || before.has(edge.target)) continue;
      before.set(edge.target, { from, edge });
      inner.add(from);
      queue.push(edge.target);
    }
  const collected = new Collected(started, bounds);
  for (const leaf of queue) {
    if (inner.has(leaf)) continue;
    const path: PathEdge[] = [];
    for (let at = before.get(leaf); at; at = before.get(at.from)) path.push(at.edge);
    if (!collected.add(path.reverse())) break;
  }
  return collected.result;
}

/** All paths that visit no world twice and cannot go on, depth first. */
function simplePaths({ edges, started }: PathGraph, bounds: PathBounds): Enumerated {
  const collected = new Collected(started, bounds);
  const visited = new Set([0]);
  const path: PathEdge[] = [];
  /** By depth: the next edge of the world there, and whether one was followed. */
  const open = [{ next: 0, isInner: false }];
  for (let top = open.at(-1); top; top = open.at(-1)) {
    const world = path.at(-1)?.target ?? 0;
    const edge = edges[world]?.[top.next++];
    if (edge && visited.has(edge.target)) continue;
    if (edge) {
      top.isInner = true;
      visited.add(edge.target);
      path.push(edge);
      open.push({ next: 0, isInner: false });
      continue;
    }
    if (!top.isInner && !collected.add(path)) break;
    open.pop();
    path.pop();
    visited.delete(world);
  }
  return collected.result;
}
