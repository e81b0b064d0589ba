import { amountFrom, answerOf, checkOptions } from '@conclave/core/internal';
import type { Json } from '@conclave/core/protocol';
import { withoutChance } from '../base/resumable.js';
import { type Expectation, endsOf, figuresOf, processOf } from '../expected/figures.js';
import { graphTexts } from '../expected/graph-texts.js';
import { plainExpectedOptions } from '../options/options.js';
import { LimitReached, type Limits, Watch } from '../search/limits/limits.js';
import {
  confirmSearch,
  type Search,
  type SearchListener,
  search,
} from '../search/traversal/search.js';
import { CompiledPlain } from './compiled-plain.js';
import { type PlainSystem, requireSystem } from './plain-system.js';

export interface PlainExpectedOptions<S extends Json, A extends Json> {
  /**
   * What a step from a state by an action costs, a whole number: the outcome is known. Default: 1.
   */
  readonly cost?: (step: { readonly state: S; readonly action: A }) => number;
  /** The states to reach. Default: those without actions. */
  readonly until?: (state: S) => boolean;
  /** Asks for the probability, too, that they are reached for no more than this. */
  readonly within?: number;
  /** Returns the explored graph, too, in the format of another model checker, Storm or PRISM. */
  readonly graph?: 'drn' | 'prism';
  readonly limits?: Limits;
  readonly onProgress?: (states: number, transitions: number, depth: number) => void;
}

/** What runs of a plain system cost, exactly. A scheduler chooses the initial state, too. */
export type PlainExpectation<A extends Json> = Omit<
  Expectation<{
    readonly actions: readonly A[];
    /** The action, from 0, with which it goes on after the last one; their number if it ends. */
    readonly loopsFrom: number;
  }>,
  'protocol' | 'topology' | 'cost' | 'tick' | 'assumptions'
>;

/**
 * What runs of a system of plain functions cost, as `expected` computes it of a protocol. Where the
 * system gives `weights` for a state, one of its actions is drawn by them.
 *
 * @throws {ConclaveError} as `exploreSystem`; what `next` throws.
 * @example expectedOfSystem({ initial: 'tossing', actions: (at) => (at === 'tossing' ? ['heads',
 * 'tails'] : []), weights: () => [1, 1], next: (at, coin) => (coin === 'heads' ? 'done' : at) })
 */
export function expectedOfSystem<S extends Json, A extends Json>(
  system: PlainSystem<S, A>,
  options: PlainExpectedOptions<S, A> = {},
): PlainExpectation<A> {
  requireSystem(system);
  checkOptions('expectedOfSystem', plainExpectedOptions, options);
  const watch = new Watch(options.limits);
  return withoutChance(() => expectedWithin(system, options, watch));
}

/** The time of one user function, measured in table look-ups. */
const stepWeight = 64;

function expectedWithin<S extends Json, A extends Json>(
  system: PlainSystem<S, A>,
  options: PlainExpectedOptions<S, A>,
  watch: Watch,
): PlainExpectation<A> {
  const { limits = {} } = options;
  const compiled = new CompiledPlain(system, () => watch.tick(stepWeight));
  const found = confirmSearch(
    search(compiled, { limits, watch, graph: true }, listenerOf(options.onProgress)),
    () => compiled.confirm(),
  );
  const { states, transitions } = found;
  let { limit } = found;
  let figured: Figured<A> | undefined;
  try {
    figured = found.complete ? figuredOf(compiled, found, options, watch) : undefined;
  } catch (reached) {
    if (!(reached instanceof LimitReached)) throw reached;
    limit = reached.limit;
  }
  watch.end();
  return {
    ...{ states, transitions, seconds: watch.elapsed },
    complete: figured !== undefined,
    ...(limit && { limit }),
    ...figured,
  };
}

type Figured<A extends Json> = Pick<
  PlainExpectation<A>,
  'probability' | 'expectation' | 'within' | 'draws' | 'graph'
>;

const listenerOf = (progress: SearchListener['progress'] = () => {}): SearchListener => ({
  found: () => true,
  ended: () => true,
  fault: (_, __, error) => {
    throw error;
  },
  progress,
});

function figuredOf<S extends Json, A extends Json>(
  compiled: CompiledPlain<S, A>,
  { store, graph, starts = 1 }: Search,
  { cost, until, within, graph: format }: PlainExpectedOptions<S, A>,
  watch: Watch,
): Figured<A> {
  if (!graph) throw new Error('unreachable: the search keeps its edges');
  graph.watch = watch;
  const stateOf = (vector: Int32Array) => compiled.states.item(vector[0] as number);
  const actionOf = (action: number) => compiled.steps.actions.item(action).action;
  const process = processOf(
    { store, graph, width: compiled.width },
    {
      starts,
      weights: (vector, world) => compiled.weights(vector, graph.end(world) - graph.first(world)),
      cost: (vector, action) =>
        cost ? amountFrom('cost', cost, { state: stateOf(vector), action: actionOf(action) }) : 1,
    },
  );
  const goal = until
    ? Uint8Array.from({ length: process.states }, (_, world) =>
        world < store.size && answerOf({ name: 'until' }, until, stateAt(world)) ? 1 : 0,
      )
    : endsOf(process);
  const asked = { goal, watch, before: 0, unit: 1 };
  const name = cost ? cost.name : 'steps';
  return {
    draws: process.draws,
    ...(format && { graph: graphTexts(format, { ...asked, process, cost: name }) }),
    ...figuresOf(process, {
      ...{ ...asked, within },
      runOf: (actions, loopsFrom) => ({ actions: actions.map(actionOf), loopsFrom }),
    }),
  };

  function stateAt(world: number): S {
    const vector = new Int32Array(1);
    store.read(world, vector);
    return stateOf(vector);
  }
}
