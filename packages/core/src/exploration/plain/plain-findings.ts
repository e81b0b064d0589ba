import type { Json } from '../../protocol/node.js';
import type { Graph } from '../search/traversal/graph.js';
import type { Search } from '../search/traversal/search.js';
import type { Judgement } from '../verdicts/judge.js';
import { canonical } from '../worlds/canonical.js';
import type { CompiledPlain } from './compiled-plain.js';
import type { PlainExploration } from './plain-exploration.js';
import type { CompiledPlainProperty } from './plain-properties.js';

type PlainFinding<S extends Json, A extends Json> = PlainExploration<S, A>['properties'][number];
type PlainStep<S extends Json, A extends Json> = NonNullable<PlainFinding<S, A>['path']>[number];

/** A run from an initial state. */
interface PlainRun<S extends Json, A extends Json> {
  readonly initial: S;
  readonly path: readonly PlainStep<S, A>[];
}

/** What a search has found of a property, with the run that decides it. */
export function plainFinding<S extends Json, A extends Json>(
  compiled: CompiledPlain<S, A>,
  property: CompiledPlainProperty<S>,
  { search, evidence, judged }: Judgement,
): PlainFinding<S, A> {
  const { name, kind } = property;
  const decided = evidence.get(property);
  const finding = { name, kind, ...judged(property) };
  if (!decided) return finding;
  const { initial, path } = runTo(compiled, property, search, decided.world);
  const { run, fault } = decided;
  const { graph } = search;
  if (!run || !graph)
    return { ...finding, initial, path, ...(fault ? { fault: fault.error.message } : {}) };
  const along = (edges: readonly number[]) =>
    edges.map((edge) => stepTo(compiled, search, graph.action(edge), graph.target(edge)));
  const before = [...path, ...along(run.approach)];
  const unfair =
    run.edges.length > 0
      ? []
      : possible(graph, run.entry).map((action) => compiled.steps.actions.item(action).action);
  return {
    ...finding,
    ...{ initial, path: [...before, ...along(run.edges)], loopsFrom: before.length },
    ...(unfair.length > 0 ? { unfair } : {}),
  };
}

/** The run to the world that decides a property. */
function runTo<S extends Json, A extends Json>(
  compiled: CompiledPlain<S, A>,
  { decides }: CompiledPlainProperty<S>,
  search: Search,
  world: number,
): PlainRun<S, A> {
  const { worlds, actions } = search.store.pathTo(world);
  const states = worlds.map((at) => stateOf(compiled, search, at));
  if (compiled.orbits) return realRun(compiled, states, decides);
  const [, ...onward] = worlds;
  return {
    initial: states[0] as S, // a path has a first world
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
): PlainRun<S, A> {
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
    const taken = compiled.steps
      .outcomes(at)
      .find((outcome) => outcome.state !== undefined && canonical(outcome.state) === text);
    at = state;
    return { action: compiled.steps.actions.item(taken?.action ?? 0).action, state };
  });
  return { initial: initial as S, path };
}

/** The successors of a state, without actions that throw. */
const followers = <S extends Json, A extends Json>(
  compiled: CompiledPlain<S, A>,
  state: S,
): readonly S[] =>
  compiled.steps
    .outcomes(state)
    .map((outcome) => outcome.state)
    .filter((next) => next !== undefined);
