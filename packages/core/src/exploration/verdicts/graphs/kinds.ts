import { PairTable } from '../../search/tables/pair-table.js';
import type { Explored } from './longest-path.js';

/**
 * The worlds by what a property sees of their nodes, a code for each. Worlds are many, and their
 * kinds few.
 */
export interface Kinds {
  /** By world. */
  readonly of: Int32Array;
  /** By kind and node, at kind · nodes + node. */
  readonly codes: readonly number[];
}

/** `codeOf`: a non-negative integer for what is seen of a node; 0 for nothing. */
export function kindsOf(
  { store, graph, width }: Explored,
  nodes: number,
  codeOf: (vector: Int32Array, node: number) => number,
): Kinds {
  const vector = new Int32Array(width);
  const { size } = store;
  const of = new Int32Array(size);
  const codes: number[] = Array.from({ length: nodes }, () => 0);
  /** The kind of nodes as those of another kind, but for one that had code 0 there. */
  const extended = new PairTable();
  for (let world = 0; world < size; world++) {
    graph.watch?.tick();
    store.read(world, vector);
    let kind = 0;
    for (let node = 0; node < nodes; node++) {
      const code = codeOf(vector, node);
      if (code === 0) continue;
      const known = extended.get(kind, code * nodes + node);
      kind = known >= 0 ? known : add(kind, node, code);
    }
    of[world] = kind;
  }
  return { of, codes };

  function add(kind: number, node: number, code: number): number {
    const id = codes.length / nodes;
    for (let other = 0; other < nodes; other++)
      codes.push(other === node ? code : (codes[kind * nodes + other] as number));
    extended.add(kind, code * nodes + node, id);
    return id;
  }
}
