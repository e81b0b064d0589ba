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

const shown: Readonly<Record<string, Shown>> = {
  A1: {
    marks: 'mkacxe',
    mutants: 5,
    score: 1,
    largest: { what: '5 clients, 2 entries each', states: 208_965 },
  },
  A2: {
    marks: 'mkacxe',
    mutants: 6,
    score: 1,
    largest: { what: '3 nodes, an entry each', states: 529_584 },
  },
  A3: {
    marks: 'mkacxe',
    mutants: 6,
    score: 0.955,
    largest: { what: '3 nodes, 2 entries each', states: 648_818 },
  },
  A4: {
    marks: 'mkacxe',
    mutants: 6,
    score: 1,
    largest: { what: '4 nodes, an entry each', states: 89_839 },
  },
  A4b: {
    marks: 'mkacxe',
    mutants: 7,
    score: 1,
    largest: { what: '4 nodes, an entry each', states: 125_157 },
  },
  A5: {
    marks: 'mkacxe',
    mutants: 7,
    score: 1,
    largest: { what: 'triangle, an entry each, nothing overtakes', states: 228_702 },
  },
  A6: {
    marks: 'mkacxe',
    mutants: 5,
    score: 1,
    largest: { what: 'all trees of 3 nodes, 2 entries each', states: 61_674 },
  },
  A7: {
    marks: 'mkacxe',
    mutants: 5,
    score: 1,
    largest: { what: 'trees of 2 to 4 nodes, the token at each place, 2 entries each', states: 113_205 },
  },
  A8: {
    marks: 'mkacxe',
    mutants: 5,
    score: 1,
    largest: { what: '6 nodes, an entry each', states: 187_696 },
  },
  A9: {
    marks: 'mkacxe',
    mutants: 6,
    score: 1,
    largest: { what: 'all graphs of 4 nodes, the token at each, an entry each', states: 92_607 },
  },
  A10: {
    marks: 'mkacxe',
    mutants: 7,
    score: 1,
    largest: { what: 'nothing overtakes: 3 nodes, 3 entries each; 4 nodes, 2 entries each; 6 nodes, an entry each', states: 147_241 },
  },
  A11: {
    marks: 'mkacxe',
    mutants: 5,
    score: 0.959,
    largest: { what: '6 nodes, 2 entries each', states: 131_250 },
  },
  A12: {
    marks: 'mkacxe',
    mutants: 8,
    score: 1,
    largest: { what: '4 nodes, an entry each', states: 252_342 },
  },
  A13: {
    marks: 'mkacxe',
    mutants: 10,
    score: 0.952,
    largest: { what: '2 clusters of 2 nodes, 2 entries each', states: 169_988 },
  },
  A14: {
    marks: 'mkacxe',
    mutants: 11,
    score: 0.76,
    largest: { what: '3 nodes, 2 entries each, 1 loss', states: 182_732 },
  },
  A15: {
    marks: 'mkacxe',
    mutants: 6,
    score: 1,
    largest: { what: '3 nodes, 2 of them 3 intervals each', states: 230_253 },
  },
  B3: {
    marks: 'mkacxe',
    mutants: 5,
    score: 1,
    largest: { what: 'rings of 5 in any order, any set of initiators', states: 317_518 },
  },
  B14: {
    marks: 'mkacxe',
    mutants: 7,
    score: 1,
    largest: { what: 'rings of 5 in any order, any set of initiators', states: 587_576 },
  },
};

/** For the algorithm with this id; empty if the tests do not know it. */
export const shownOf = (id: string): Shown => shown[id] ?? { marks: '', mutants: 0, score: 0, largest: { what: '', states: 0 } };
