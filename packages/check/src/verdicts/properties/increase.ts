/**
 * Numbers that grow along a run, `increases`: each number that a node gets, such as a fencing
 * token, is larger than all numbers before. A path has the largest number on it as its sum, so no
 * world needs to remember it. An incomplete search decides violations.
 */
import { numberOf } from '@conclave/core/internal';
import type { PropertyOf } from '@conclave/core/protocol';
import { CompiledView } from '../../search/tables/compiled-view.js';
import type { CompiledWorlds } from '../../search/tables/compiled-worlds.js';
import { PairTable } from '../../search/tables/interner.js';
import { type Explored, kindsOf, longestPath } from '../graphs/paths.js';

/** The numbers of the nodes in a world. */
export interface Numbers {
  readonly nodes: number;
  /** Undefined for a node without a number. */
  readonly of: (vector: Int32Array, node: number) => number | undefined;
}

/** What `property` looks at in a compiled system. */
export function numbersOf(compiled: CompiledWorlds, property: PropertyOf<'increases'>): Numbers {
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
      const number = seen.crashed ? undefined : numberOf(property, property.numberOf, seen);
      byConfiguration[configuration] = number ?? null;
      return number;
    },
  };
}

/** The numbers that nodes get where a world of one kind follows one of another. */
interface NewNumbers {
  /**
   * −Infinity if one is NaN: nothing compares as larger than NaN, nor NaN as larger than anything.
   */
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
  const numberOfCode: number[] = [Number.NaN]; // code 0: a node without a number
  const codeOfNumber = new Map<number, number>();
  const { of: kindOf, codes } = kindsOf(explored, nodes, (vector, node) => {
    const number = of(vector, node);
    if (number === undefined) return 0;
    const code = codeOfNumber.get(number) ?? numberOfCode.push(number) - 1;
    codeOfNumber.set(number, code);
    return code;
  });
  const newBetween = (before: number, after: number): NewNumbers | undefined => {
    const found: number[] = [];
    for (let node = 0; node < nodes; node++) {
      const code = codes[after * nodes + node] as number;
      if (code !== 0 && code !== codes[before * nodes + node])
        found.push(numberOfCode[code] as number);
    }
    if (found.length === 0) return undefined;
    const least = found.some(Number.isNaN) ? -Infinity : Math.min(...found);
    return { least, most: Math.max(...found) };
  };
  const known: (NewNumbers | undefined)[] = [];
  /** By two kinds: the index in `known`. */
  const indices = new PairTable();
  const knownBetween = (before: number, after: number): NewNumbers | undefined => {
    const index = indices.get(before, after);
    if (index >= 0) return known[index];
    const numbers = newBetween(before, after);
    indices.add(before, after, known.push(numbers) - 1);
    return numbers;
  };
  const initial = newBetween(0, kindOf[0] as number); // in kind 0 no node has a number
  const first = initial?.most ?? -Infinity;
  if (Number.isNaN(first)) return [];
  return longestPath(graph, store.size, {
    first,
    kinds: kindOf,
    after: (largest, source, edge) => {
      const target = targets[edge] as number;
      const numbers = knownBetween(kindOf[source] as number, kindOf[target] as number);
      if (!numbers) return largest;
      return numbers.least > largest ? Math.max(largest, numbers.most) : Number.NaN;
    },
  });
}
