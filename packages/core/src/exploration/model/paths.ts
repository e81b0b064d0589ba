import { budgetIn, pathOptions } from '../../options/exploration.js';
import { checkGiven } from '../../options/shapes.js';
import type { Protocol } from '../../protocol/protocol.js';
import { withoutChance } from '../../protocol/purity.js';
import { checkOptions } from '../../schema/check.js';
import type { Topology } from '../../topology/topology.js';
import type { Budget } from '../worlds/budget.js';
import { timeOf, withFittingTick } from '../worlds/time.js';
import { enumeratePaths } from './enumerate.js';
import { pathGraph } from './path-graph.js';

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
