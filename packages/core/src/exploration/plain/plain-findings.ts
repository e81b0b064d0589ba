import type { Json } from '../../protocol/node.js';
import type { Graph } from '../search/traversal/graph.js';
import type { Search } from '../search/traversal/search.js';
import type { Judgement } from '../verdicts/judge.js';
import type { CompiledProperty } from '../verdicts/properties/compiled-property.js';
import type { CompiledPlain } from './compiled-plain.js';
import type { PlainExploration } from './plain-exploration.js';

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
  property: CompiledProperty,
  { search, evidence, judged }: Judgement,
): PlainFinding<S, A> {
  const { name, kind } = property;
  const decided = evidence.get(property);
  const finding = { name, kind, ...judged(property) };
  if (!decided) return finding;
  const { initial, path } = runTo(compiled, search, decided.world);
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
function possible(graph: Graph, world: number): readonly number[] {
  const actions = new Set<number>();
  for (let edge = graph.first(world); edge < graph.end(world); edge++)
    actions.add(graph.action(edge));
  return [...actions];
}
