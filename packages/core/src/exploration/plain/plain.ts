import type { Json } from '../../protocol/node.js';
import type { Property } from '../../protocol/property.js';
import { withoutChance } from '../../protocol/purity.js';
import type { PlainOptions } from '../explore/options.js';
import { pathTo } from '../search/kernel/visited.js';
import type { Limit } from '../search/limits/limits.js';
import { Watch } from '../search/limits/watch.js';
import { confirmed } from '../search/traversal/confirmed.js';
import type { Graph } from '../search/traversal/graph.js';
import { search } from '../search/traversal/search.js';
import { type Judged, judge } from '../verdicts/judge.js';
import type { Evidence } from '../verdicts/properties/compiled-property.js';
import { canonical } from '../worlds/canonical.js';
import { requireOptions, requireSystem } from './plain-options.js';
import {
  type CompiledPlainProperty,
  compilePlainProperty,
  endsOnlyWhenDone,
} from './plain-properties.js';
import { CompiledPlain, type PlainSystem } from './plain-system.js';

export interface PlainStep<S extends Json, A extends Json> {
  readonly action: A;
  /** The state after it. */
  readonly state: S;
}

export interface PlainFinding<S extends Json, A extends Json> extends Judged {
  readonly name: string;
  readonly kind: Property['kind'];
  /** Where the path begins: one of the initial states. */
  readonly initial?: S;
  /**
   * A run from an initial state that decides the property; a shortest one in a breadth-first search
   * if a single state decides it.
   */
  readonly path?: readonly PlainStep<S, A>[];
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
}

export interface PlainExploration<S extends Json, A extends Json> {
  /** With `symmetry`: the representatives, and the transitions out of them. */
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
  readonly limit?: Limit;
  /** What the verdicts assume. */
  readonly assumptions: readonly string[];
  /** The given ones, then that every action leads to a state and, with `done`, deadlock freedom. */
  readonly properties: readonly PlainFinding<S, A>[];
}

/**
 * Checks every run of a system written as plain functions: two-phase commit, Paxos, anything with
 * states and actions.
 *
 * @throws {ConclaveError} `bad-input`: an invalid system or option; a state or an action that is
 * not plain data; with `reduce: 'symmetry'`, a function that is not a symmetry; a property that
 * throws, or returns no boolean. `bad-protocol`: `actions` throws. `impure`: a function that
 * changes its input, reads a clock, draws a random number or is not deterministic.
 * @example exploreSystem({ initial: 0, actions: (n) => (n < 3 ? ['up'] : []), next: (n) => n + 1 },
 * { properties: [always('small', (n) => n <= 3)] });
 */
export function exploreSystem<S extends Json, A extends Json>(
  system: PlainSystem<S, A>,
  options: PlainOptions<S>,
): PlainExploration<S, A> {
  requireSystem(system);
  requireOptions(options, system.symmetries);
  const watch = new Watch(options.limits);
  return withoutChance(() => explored(system, options, watch));
}

/** The time of one user function, measured in table look-ups. */
const stepWeight = 64;

function explored<S extends Json, A extends Json>(
  system: PlainSystem<S, A>,
  options: PlainOptions<S>,
  watch: Watch,
): PlainExploration<S, A> {
  const {
    fairness = 'weak',
    limits = {},
    order = 'breadth',
    reduce = 'none',
    all = true,
    onProgress,
  } = options;
  const compiled = new CompiledPlain(system, reduce === 'symmetry', () => watch.tick(stepWeight));
  const images = (vector: Int32Array) => compiled.images(vector[0] as number);
  const claims = options.properties.map(
    (property): CompiledPlainProperty<S> =>
      compilePlainProperty(property, images, compiled.states.items),
  );
  const rules: CompiledPlainProperty<S> = {
    name: 'every action leads to a state',
    kind: 'always',
    holds: () => true,
    decides: () => true,
  };
  const rest = system.done && endsOnlyWhenDone(system.done, images);
  let ends = 0;
  const judgement = judge(compiled, claims, {
    fairness,
    search: (graph, listener) =>
      confirmed(
        search(
          compiled,
          { limits, watch, order, graph },
          {
            ...listener,
            ended: (world, vector) => {
              ends++;
              return listener.ended(world, vector);
            },
          },
        ),
        () => compiled.confirm(),
      ),
    runs: reduce === 'none',
    all,
    optional: () => false,
    faults: [rules],
    violatedBy: () => rules,
    ...(rest ? { deadlocks: rest } : {}),
    onProgress,
    watch,
  });

  const { search: found, evidence, judged } = judgement;
  watch.end();
  const { store, graph, states, transitions, depth, width, complete, limit } = found;
  const vector = new Int32Array(1);
  const stateOf = (world: number): S => {
    store.read(world, vector);
    return compiled.states.item(vector[0] as number);
  };
  const stepTo = (action: number, world: number): PlainStep<S, A> => ({
    action: compiled.actions.item(action).action,
    state: stateOf(world),
  });
  /** The run to the world that decides a property. */
  const runTo = (
    claim: CompiledPlainProperty<S>,
    world: number,
  ): { readonly initial: S; readonly path: PlainStep<S, A>[] } => {
    const { worlds, actions } = pathTo(store, world);
    const [first = 0, ...onward] = worlds;
    if (compiled.orbits) return realRun(compiled, worlds.map(stateOf), claim.decides);
    return {
      initial: stateOf(first),
      path: onward.map((target, index) => stepTo(actions[index] as number, target)),
    };
  };
  const findingOf = (claim: CompiledPlainProperty<S>): PlainFinding<S, A> => {
    const { name, kind } = claim;
    const decided: Evidence | undefined = evidence.get(claim);
    const finding = { name, kind, ...judged(claim) };
    if (!decided) return finding;
    const { initial, path } = runTo(claim, decided.world);
    const { run, fault } = decided;
    if (!run || !graph)
      return { ...finding, initial, path, ...(fault ? { fault: fault.error.message } : {}) };
    for (const edge of run.approach) path.push(stepTo(graph.action(edge), graph.target(edge)));
    const loopsFrom = path.length;
    for (const edge of run.edges) path.push(stepTo(graph.action(edge), graph.target(edge)));
    const unfair =
      run.edges.length > 0
        ? []
        : possible(graph, run.entry).map((action) => compiled.actions.item(action).action);
    return { ...finding, initial, path, loopsFrom, ...(unfair.length > 0 ? { unfair } : {}) };
  };
  const properties = [...claims, rules, ...(rest ? [rest] : [])].map(findingOf);
  const assumptions = compiled.isSampled
    ? [
        'that actions and next do the same each time: asked twice for the first 10,000 states and for one in 16 of the others',
      ]
    : [];
  return {
    states,
    transitions,
    depth,
    width,
    ends,
    seconds: watch.elapsed,
    complete,
    ...(limit ? { limit } : {}),
    assumptions,
    properties,
  };
}

/** The actions out of a world, each once. */
function possible(graph: Graph, world: number): readonly number[] {
  const actions = new Set<number>();
  for (let edge = graph.first(world); edge < graph.end(world); edge++)
    actions.add(graph.action(edge));
  return [...actions];
}

/**
 * A run of the system itself through the orbits of `states`, to a state of the last orbit for which
 * `decides` is true. It exists, since the symmetries were checked.
 */
function realRun<S extends Json, A extends Json>(
  compiled: CompiledPlain<S, A>,
  states: readonly S[],
  decides: (state: S) => boolean,
): { readonly initial: S; readonly path: PlainStep<S, A>[] } {
  const numbers = states.map((state) => compiled.number(state));
  const run: S[] = [];
  for (const number of numbers) {
    const before = run.at(-1);
    const candidates = before === undefined ? compiled.initials : followers(compiled, before);
    // one exists, since the symmetries were checked
    run.push(candidates.find((state) => compiled.number(state) === number) as S);
  }
  const [initial, ...onward] = compiled.orbits?.renamed(run, decides) ?? run;
  let at = initial as S; // a run has a first state
  const path = onward.map((state): PlainStep<S, A> => {
    const text = canonical(state);
    const taken = compiled
      .outcomes(at)
      .find((outcome) => outcome.state !== undefined && canonical(outcome.state) === text);
    at = state;
    return { action: compiled.actions.item(taken?.action ?? 0).action, state };
  });
  return { initial: initial as S, path };
}

/** The successors of a state, without actions that throw. */
const followers = <S extends Json, A extends Json>(
  compiled: CompiledPlain<S, A>,
  state: S,
): readonly S[] =>
  compiled
    .outcomes(state)
    .map((outcome) => outcome.state)
    .filter((next) => next !== undefined);
