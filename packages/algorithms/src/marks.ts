/** What the last test run has shown about each algorithm. `npm run marks` writes this file; scripts/marks.mjs explains the letters. */
export interface Shown {
  /** Such as `mkc`. */
  readonly marks: string;
  /** The number of known-wrong versions that the explorer has refuted. */
  readonly mutants: number;
  /** The share of its mutants that its properties notice, from 0 to 1; the least over its sets of options. */
  readonly score: number;
  /** The completely explored system with the most states. */
  readonly largest: { readonly what: string; readonly states: number };
}

type Row = readonly [marks: string, mutants: number, score: number, largest: string, states: number];

const shown: Readonly<Record<string, Row>> = {
  A1: ['mkacxe', 5, 1, '5 clients, 2 entries each', 208_965],
  A2: ['mkacxe', 6, 1, '3 nodes, an entry each', 529_584],
  A3: ['mkacxe', 6, 0.954, '3 nodes, 2 entries each', 648_818],
  A4: ['mkacxe', 6, 1, '4 nodes, an entry each', 89_839],
  A4b: ['mkacxe', 7, 1, '4 nodes, an entry each', 125_157],
  A5: ['mkacxe', 7, 1, 'triangle, an entry each, nothing overtakes', 228_702],
  A6: ['mkacxe', 5, 1, 'all trees of 3 nodes, 2 entries each', 61_674],
  A7: ['mkacxe', 5, 1, 'trees of 2 to 4 nodes, the token at each place, 2 entries each', 113_205],
  A8: ['mkacxe', 5, 1, '6 nodes, an entry each', 187_696],
  A9: ['mkacxe', 9, 1, 'start-up and the 6 graphs of 4 nodes, an entry each', 98_211],
  A10: ['mkacxe', 7, 1, 'nothing overtakes: 3 nodes, 3 entries each; 4 nodes, 2 entries each; 6 nodes, an entry each', 147_241],
  A11: ['mkacxe', 5, 0.959, '6 nodes, 2 entries each', 131_250],
  A12: ['mkacxe', 8, 1, '4 nodes, an entry each', 252_342],
  A13: ['mkacxe', 10, 0.952, '2 clusters of 2 nodes, 2 entries each', 169_988],
  A14: ['mkacxe', 11, 0.762, '3 nodes, 2 entries each', 368_305],
  A15: ['mkacxe', 6, 1, '3 nodes, 2 of them 3 intervals each', 230_253],
  B1: ['mkacxe', 9, 0.669, '4 nodes, messages of 100 ms', 78_810],
  B2: ['mkacxe', 4, 0.978, 'rings of 4 in any order, each node may start', 86_736],
  B3: ['mkacxe', 5, 1, 'rings of 5 in any order, any node may start', 87_738],
  B4: ['mkacxe', 7, 1, 'rings of 5 in any order, each node may start', 321_168],
  B5: ['mkacxe', 6, 0.991, 'two-way rings of 4 in any order, any set of initiators', 121_468],
  B6: ['mkacxe', 7, 0.994, 'two-way rings of 4 in any order, any one initiator', 25_910],
  B7: ['mkacxe', 7, 0.971, '2 × 2 in any order, any set of initiators', 241_810],
  B8: ['mkacxe', 7, 0.947, '2 dimensions in any order, any set of initiators', 19_311],
  B9: ['mkacxe', 5, 1, 'all trees of 4 nodes, any set of initiators', 302_304],
  B10: ['mkacxe', 5, 1, 'the trees of 2 to 4 nodes, any node may start', 48_213],
  B11: ['mkaxe', 6, 1, 'the 16 trees and 3 squares of 4 nodes, any set of initiators', 92_209],
  B12: ['mkacxe', 8, 0.985, 'all trees of 4 nodes, any set of initiators', 32_618],
  B13: ['mka', 0, 0.615, '', 0],
  B14: ['mkacxe', 7, 1, 'rings of 5 in any order, any node may start', 96_056],
  B15: ['mkacxe', 5, 1, 'ring of 4, each node may start', 137_221],
  B16: ['mkaxe', 8, 1, 'the 19 graphs of 4 nodes with at most 4 edges, in each order of the weights, any set of initiators', 47_653],
  C2: ['mkacxe', 5, 1, 'all connected graphs of 4 nodes, the initiator at each', 4604],
  C3: ['mkacxe', 6, 0.433, '3 nodes', 224_000],
};

/** For the algorithm with this id; empty if the tests do not know it. */
export function shownOf(id: string): Shown {
  const [marks, mutants, score, what, states] = shown[id] ?? ['', 0, 0, '', 0];
  return { marks, mutants, score, largest: { what, states } };
}
