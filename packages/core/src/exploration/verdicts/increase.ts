import { numberFrom } from '../../protocol/answer.js';
import type { Increases } from '../../protocol/property.js';
import type { CompiledWorlds } from '../compiled/compiled.js';
import { CompiledView } from '../compiled/compiled-view.js';
import { type Explored, longestPath } from './longest-path.js';

/** The number of each node in a world; undefined for a node without one. */
export type NumbersOf = (vector: Int32Array) => readonly (number | undefined)[];

/** What `property` looks at in a compiled system. */
export function numbersOf(compiled: CompiledWorlds, property: Increases): NumbersOf {
  const view = new CompiledView(compiled);
  const nodes = [...compiled.worlds.topology.nodes.keys()];
  const known = nodes.map(() => new Map<number, number | undefined>());
  const numberAt = (vector: Int32Array, node: number) => {
    const byConfiguration = known[node];
    const configuration = vector[node] as number;
    if (byConfiguration?.has(configuration)) return byConfiguration.get(configuration);
    const seen = view.at(vector).nodeAt(node);
    const number = seen.crashed ? undefined : numberFrom(property, seen);
    byConfiguration?.set(configuration, number);
    return number;
  };
  return (vector) => nodes.map((node) => numberAt(vector, node));
}

const none: readonly number[] = [];

/** The edges of a shortest run whose last step gives a node a number that is no larger than an earlier one; undefined if there is none. */
export function findDecrease({ store, graph, width }: Explored, numbersOf: NumbersOf): readonly number[] | undefined {
  const vector = new Int32Array(width);
  /** In most worlds no node has a number: each world keeps only the index of its numbers in a list. */
  const kinds: (readonly (number | undefined)[])[] = [];
  const kindOf = new Map<string, number>();
  const kind = new Int32Array(store.bound);
  for (let world = 0; world < store.bound; world++) {
    if (!store.has(world)) continue;
    graph.watch?.tick();
    store.read(world, vector);
    const numbers = numbersOf(vector);
    const key = numbers.join();
    const known = kindOf.get(key) ?? kinds.push(numbers) - 1;
    kindOf.set(key, known);
    kind[world] = known;
  }
  const numbersAt = (world: number) => kinds[kind[world] as number] as readonly (number | undefined)[];
  /** The numbers that an edge adds. */
  const arisen = (source: number, edge: number): readonly number[] => {
    const target = graph.target(edge);
    if (kind[source] === kind[target]) return none;
    const before = numbersAt(source);
    return numbersAt(target).flatMap((number, node) => (number === undefined || number === before[node] ? [] : [number]));
  };
  const first = Math.max(-Infinity, ...numbersAt(0).map((number) => number ?? -Infinity));
  if (Number.isNaN(first)) return []; // nothing compares as larger than NaN
  return longestPath(graph, store.bound, {
    first,
    after: (largest, source, edge) => Math.max(largest, ...arisen(source, edge)),
    violates: (largest, source, edge) => arisen(source, edge).some((number) => !(number > largest)), // NaN is not larger either
  });
}
