import { numberFrom } from '../../../protocol/answer.js';
import type { Increases } from '../../../protocol/property.js';
import { CompiledView } from '../../search/tables/compiled-view.js';
import type { CompiledWorlds } from '../../search/tables/compiled-worlds.js';
import { PairTable } from '../../search/tables/pair-table.js';
import { kindsOf } from '../graphs/kinds.js';
import { type Explored, longestPath } from '../graphs/longest-path.js';

/** The numbers of the nodes in a world. */
export interface Numbers {
  readonly nodes: number;
  /** Undefined for a node without a number. */
  readonly of: (vector: Int32Array, node: number) => number | undefined;
}

/** What `property` looks at in a compiled system. */
export function numbersOf(compiled: CompiledWorlds, property: Increases): Numbers {
  const view = new CompiledView(compiled);
  const { length: nodes } = compiled.worlds.topology.nodes;
  /** By node and configuration; null for none. */
  const known: (number | null)[][] = Array.from({ length: nodes }, () => []);
  return {
    nodes,
    of: (vector, node) => {
      const byConfiguration = known[node] as (number | null)[]; // one for each node
      const configuration = vector[node] as number;
      const answer = byConfiguration[configuration];
      if (answer !== undefined) return answer ?? undefined;
      const seen = view.at(vector).nodeAt(node);
      const number = seen.crashed ? undefined : numberFrom(property, seen);
      byConfiguration[configuration] = number ?? null;
      return number;
    },
  };
}

/** The numbers that arise where a world of one kind follows one of another. */
interface Arisen {
  readonly least: number;
  readonly most: number;
}

/**
 * The edges of a shortest run whose last step gives a node a number that is no larger than an
 * earlier one; undefined if there is none.
 */
export function findDecrease(
  explored: Explored,
  { nodes, of }: Numbers,
): readonly number[] | undefined {
  const { store, graph } = explored;
  const { targets } = graph;
  const numbers: number[] = [Number.NaN]; // by code; none has code 0
  const codes = new Map<number, number>();
  const codeOf = (vector: Int32Array, node: number): number => {
    const number = of(vector, node);
    if (number === undefined) return 0;
    const known = codes.get(number);
    if (known !== undefined) return known;
    codes.set(number, numbers.length);
    return numbers.push(number) - 1;
  };
  const kinds = kindsOf(explored, nodes, codeOf);
  /** By kinds of source and target: what arises on an edge between them; undefined for nothing. */
  const known: (Arisen | undefined)[] = [];
  const places = new PairTable();
  const arisenBetween = (before: number, after: number): Arisen | undefined => {
    const place = places.get(before, after);
    if (place >= 0) return known[place];
    const arisen = arising(before, after);
    places.add(before, after, known.push(arisen) - 1);
    return arisen;
  };
  const arising = (before: number, after: number): Arisen | undefined => {
    const found: number[] = [];
    for (let node = 0; node < nodes; node++) {
      const code = kinds.codes[after * nodes + node] as number;
      if (code !== 0 && code !== kinds.codes[before * nodes + node])
        found.push(numbers[code] as number);
    }
    if (found.length === 0) return undefined;
    return {
      least: found.some(Number.isNaN) ? -Infinity : Math.min(...found),
      most: Math.max(...found),
    }; // NaN is not larger than any number
  };
  const initial = kinds.codes.slice(
    (kinds.of[0] as number) * nodes,
    ((kinds.of[0] as number) + 1) * nodes,
  );
  const first = Math.max(
    -Infinity,
    ...initial.filter((code) => code !== 0).map((code) => numbers[code] as number),
  );
  if (Number.isNaN(first)) return []; // nothing compares as larger than NaN
  return longestPath(graph, store.size, {
    first,
    kinds: kinds.of,
    after: (largest, source, edge) => {
      const arisen = arisenBetween(
        kinds.of[source] as number,
        kinds.of[targets[edge] as number] as number,
      );
      if (!arisen) return largest;
      return arisen.least > largest ? Math.max(largest, arisen.most) : Number.NaN;
    },
  });
}
