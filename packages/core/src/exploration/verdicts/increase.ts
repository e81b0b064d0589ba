import { numberFrom } from '../../protocol/answer.js';
import type { Increases } from '../../protocol/property.js';
import type { CompiledWorlds } from '../compiled/compiled.js';
import { CompiledView } from '../compiled/compiled-view.js';
import type { Graph } from '../search/graph.js';
import type { Visited } from '../search/visited.js';
import { longestPath } from './longest-path.js';

/** The numbers that the nodes of a world have; undefined where one has none. */
export type NumbersOf = (vector: Int32Array) => readonly (number | undefined)[];

/** What `property` looks at in a system of worlds. */
export function numbersOf(compiled: CompiledWorlds, property: Increases): NumbersOf {
  const view = new CompiledView(compiled);
  const nodes = [...compiled.worlds.topology.nodes.keys()];
  const known = nodes.map(() => new Map<number, number | undefined>());
  const numberAt = (vector: Int32Array, node: number) => {
    const byPlace = known[node];
    const place = vector[node] as number;
    if (byPlace?.has(place)) return byPlace.get(place);
    const seen = view.at(vector).nodeAt(node);
    const number = seen.crashed ? undefined : numberFrom(property, seen);
    byPlace?.set(place, number);
    return number;
  };
  return (vector) => nodes.map((node) => numberAt(vector, node));
}

const none: readonly number[] = [];

interface Explored {
  readonly store: Visited;
  readonly graph: Graph;
  readonly width: number;
}

/** The edges of a shortest run at whose end a node comes to have a number no larger than one that was there before; undefined where there is none. */
export function findDecrease({ store, graph, width }: Explored, numbersOf: NumbersOf): readonly number[] | undefined {
  const vector = new Int32Array(width);
  /** Worlds are many, and in most of them no node has a number: each world has the place of its numbers in a list. */
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
  /** What is new behind an edge. */
  const arisen = (source: number, edge: number): readonly number[] => {
    const target = graph.target(edge);
    if (kind[source] === kind[target]) return none;
    const before = numbersAt(source);
    return numbersAt(target).flatMap((number, node) => (number === undefined || number === before[node] ? [] : [number]));
  };
  const first = Math.max(-Infinity, ...numbersAt(0).map((number) => number ?? -Infinity));
  if (Number.isNaN(first)) return []; // nothing is larger than that, and no way would ever be no worse than another
  return longestPath(graph, store.bound, {
    first,
    behind: (largest, source, edge) => Math.max(largest, ...arisen(source, edge)),
    breaks: (largest, source, edge) => arisen(source, edge).some((number) => !(number > largest)), // nor is what is not a number any larger
  });
}
