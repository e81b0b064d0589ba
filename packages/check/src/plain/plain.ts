/**
 * The exploration of a system that is written as plain functions: the same search and the same
 * verdicts as for protocols. A state has one number, so a world is a vector of length one.
 */
import type { Json, Property } from '@conclave/core/protocol';
import { withoutChance } from '../base/resumable.js';
import { Watch } from '../search/limits/limits.js';
import type { Graph } from '../search/traversal/graph.js';
import {
  confirmSearch,
  type Search,
  type SearchListener,
  search,
} from '../search/traversal/search.js';
import { type Judgement, judge } from '../verdicts/judge.js';
import type { CompiledProperty } from '../verdicts/properties/compiled-property.js';
import type { PropertyFinding } from '../verdicts/property-finding.js';
import { CompiledPlain } from './compiled-plain.js';
import {
  compilePlainProperty,
  endsOnlyWhenDone,
  type PlainOptions,
  requireOptions,
} from './plain-options.js';
import { type PlainSystem, requireSystem } from './plain-system.js';

/**
 * Checks every run of a system written as plain functions: two-phase commit, Paxos, anything with
 * states and actions.
 *
 * @throws {ConclaveError} `bad-input`: an invalid system or option; a state or an action that is
 * not plain data; a property that throws, or returns no boolean. `bad-protocol`: `actions` throws. `impure`: a function that
 * changes its input, reads a clock, draws a random number or is not deterministic.
 * @example exploreSystem({ initial: 0, actions: (n) => (n < 3 ? ['up'] : []), next: (n) => n + 1 },
 * { properties: [always('small', (n) => n <= 3)] });
 */
export function exploreSystem<S extends Json, A extends Json>(
  system: PlainSystem<S, A>,
  options: PlainOptions<S>,
): PlainExploration<S, A> {
  requireSystem(system);
  requireOptions(options);
  const watch = new Watch(options.limits);
  return withoutChance(() => exploreWithin(system, options, watch));
}

/** What the exploration of a plain system has found. */
export interface PlainExploration<S extends Json, A extends Json> {
  readonly states: number;
  readonly transitions: number;
  readonly depth: number;
  /** The largest number of states that were found and not yet expanded. */
  readonly width: number;
  /** How many states have no action. */
  readonly ends: number;
  /** From the call to the last verdict. */
  readonly seconds: number;
  readonly complete: boolean;
  readonly limit?: 'states' | 'memory' | 'seconds' | 'depth' | 'interrupted';
  /** What the verdicts assume. */
  readonly assumptions: readonly string[];
  /** The given ones, then that every action leads to a state and, with `done`, deadlock freedom. */
  readonly properties: readonly (Pick<PropertyFinding, 'verdict' | 'vacuous' | 'remark'> & {
    readonly name: string;
    readonly kind: Property['kind'];
    /** Where the path begins: one of the initial states. */
    readonly initial?: S;
    /**
     * A run from an initial state that decides the property; a shortest one in a breadth-first search
     * if a single state decides it.
     */
    readonly path?: readonly {
      readonly action: A;
      /** The state after it. */
      readonly state: S;
    }[];
    /**
     * For a violated `leadsTo` or `eventually`: the step, from 0, where the loop begins; the path's
     * length if the run stops.
     */
    readonly loopsFrom?: number;
    /**
     * The actions that are possible where the run stops, if any: none is fair, so all may be delayed
     * forever.
     */
    readonly unfair?: readonly A[];
    /** What `next` threw at the end of the path. */
    readonly fault?: string;
  })[];
}

/** The time of one user function, measured in table look-ups. */
const stepWeight = 64;

function exploreWithin<S extends Json, A extends Json>(
  system: PlainSystem<S, A>,
  options: PlainOptions<S>,
  watch: Watch,
): PlainExploration<S, A> {
  const { fairness = 'weak', limits = {}, order = 'breadth', all = true, onProgress } = options;
  const compiled = new CompiledPlain(system, () => watch.tick(stepWeight));
  const properties = options.properties.map((property) =>
    compilePlainProperty(property, compiled.states),
  );
  const deadlocks = system.done && endsOnlyWhenDone(system.done, compiled.states);
  let ends = 0;
  const counting = (listener: SearchListener): SearchListener => ({
    ...listener,
    ended: (world, vector) => {
      ends++;
      return listener.ended(world, vector);
    },
  });
  const judgement = judge(compiled, properties, {
    ...{ fairness, all, deadlocks, onProgress, watch },
    search: (graph, listener) =>
      confirmSearch(search(compiled, { limits, watch, order, graph }, counting(listener)), () =>
        compiled.confirm(),
      ),
    optional: () => false,
    faults: [noActionFails],
    violatedBy: () => noActionFails,
  });
  watch.end();
  const { states, transitions, depth, width, complete, limit } = judgement.search;
  const judged: readonly CompiledProperty[] = [
    ...properties,
    noActionFails,
    ...(deadlocks ? [deadlocks] : []),
  ];
  return {
    ...{ states, transitions, depth, width, ends },
    ...{ seconds: watch.elapsed, complete },
    ...(limit ? { limit } : {}),
    assumptions: compiled.isSampled
      ? [
          'that actions and next do the same each time, and give no hidden fields: asked twice for the first 10,000 states and for one in 16 of the others',
        ]
      : [],
    properties: judged.map((property) => plainFinding(compiled, property, judgement)),
  };
}

const noActionFails: CompiledProperty = {
  name: 'every action leads to a state',
  kind: 'always',
  holds: () => true,
};

type PlainFinding<S extends Json, A extends Json> = PlainExploration<S, A>['properties'][number];
type PlainStep<S extends Json, A extends Json> = NonNullable<PlainFinding<S, A>['path']>[number];

/** A run from an initial state. */
interface PlainRun<S extends Json, A extends Json> {
  readonly initial: S;
  readonly path: readonly PlainStep<S, A>[];
}

/** What a search has found of a property, with the run that decides it. */
function plainFinding<S extends Json, A extends Json>(
  compiled: CompiledPlain<S, A>,
  property: CompiledProperty,
  { search, evidence, judged }: Judgement,
): PlainFinding<S, A> {
  const { name, kind } = property;
  const found = evidence.get(property);
  const finding = { name, kind, ...judged(property) };
  if (!found) return finding;
  const { world, run, fault } = found;
  const { initial, path } = runTo(compiled, search, world);
  const { graph } = search;
  if (!run || !graph)
    return { ...finding, initial, path, ...(fault ? { fault: fault.error.message } : {}) };
  const stepsAlong = (edges: readonly number[]) =>
    edges.map((edge) => stepTo(compiled, search, graph.action(edge), graph.target(edge)));
  const before = [...path, ...stepsAlong(run.approach)];
  const unfair =
    run.edges.length > 0
      ? []
      : actionsFrom(graph, run.entry).map((action) => compiled.steps.actions.item(action).action);
  return {
    ...finding,
    ...{ initial, path: [...before, ...stepsAlong(run.edges)], loopsFrom: before.length },
    ...(unfair.length > 0 ? { unfair } : {}),
  };
}

/** The run to the world that decides a property. */
function runTo<S extends Json, A extends Json>(
  compiled: CompiledPlain<S, A>,
  search: Search,
  world: number,
): PlainRun<S, A> {
  const { worlds, actions } = search.store.pathTo(world);
  const [first = 0, ...onward] = worlds; // a path has a first world
  return {
    initial: stateOf(compiled, search, first),
    path: onward.map((at, index) => stepTo(compiled, search, actions[index] as number, at)),
  };
}

function stateOf<S extends Json, A extends Json>(
  { states }: CompiledPlain<S, A>,
  { store }: Search,
  world: number,
): S {
  const vector = new Int32Array(1);
  store.read(world, vector);
  return states.item(vector[0] as number);
}

const stepTo = <S extends Json, A extends Json>(
  compiled: CompiledPlain<S, A>,
  search: Search,
  action: number,
  world: number,
): PlainStep<S, A> => ({
  action: compiled.steps.actions.item(action).action,
  state: stateOf(compiled, search, world),
});

/** The actions out of a world, each once. */
function actionsFrom(graph: Graph, world: number): readonly number[] {
  const actions = new Set<number>();
  for (let edge = graph.first(world); edge < graph.end(world); edge++)
    actions.add(graph.action(edge));
  return [...actions];
}
