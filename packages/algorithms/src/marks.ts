/**
 * What the last test run has shown about each algorithm. `npm run marks` writes this file;
 * tools/algorithm/marks.mjs explains the letters.
 */
export interface Shown {
  /** Such as `mkc`. */
  readonly marks: string;
  /**
   * The number of known-wrong versions that the explorer has refuted; undefined where the tests
   * have none.
   */
  readonly mutants: number | undefined;
  /**
   * The share of its mutants that its properties notice, from 0 to 1; the least over its sets of
   * options. Undefined: not computed.
   */
  readonly score: number | undefined;
  /**
   * The completely explored system with the most states; undefined where the tests explore none.
   */
  readonly largest: { readonly what: string; readonly states: number } | undefined;
}

/** A number of 0, a score of −1 and an empty text: the tests show nothing. */
type Row = readonly [
  marks: string,
  mutants: number,
  score: number,
  largest: string,
  states: number,
];

const shown: Readonly<Record<string, Row>> = {
  A1: ['mkacxe', 5, 1, '2 clients twice, 3 once, false alarms', 17_402],
  A2: ['mkacxe', 6, 1, '4 nodes, 2 of them an entry each', 34_939],
  A3: ['mkacxe', 6, 0.954, '3 nodes, 2 entries each, FIFO', 284_730],
  A3b: ['mkacxe', 5, 1, '3 nodes, 2 entries each', 58_023],
  A3c: ['mkacxe', 6, 1, 'ring of 4, 2 nodes an entry each', 8792],
  A4: ['mkacxe', 6, 1, '3 nodes, 2 entries each', 41_533],
  A4b: ['mkacxe', 7, 1, '3 nodes, 2 entries each', 60_449],
  A5: ['mkacxe', 7, 1, 'triangle, an entry each, nothing overtakes', 228_702],
  A6: ['mkacxe', 5, 1, 'all trees of 3 nodes, 2 entries each', 61_674],
  A7: ['mkacxe', 5, 1, 'trees of 2 to 4 nodes, the token at each place, 2 entries each', 185_787],
  A8: ['mkacxe', 5, 1, '4 nodes, 2 entries each', 45_980],
  A9: ['mkacxe', 9, 1, 'all graphs of 4 nodes, the token at each, an entry each', 41_794],
  A10: [
    'mkacxe',
    7,
    1,
    'nothing overtakes: 3 nodes, 3 entries each; 4 nodes, 2 entries each; 6 nodes, an entry each',
    147_241,
  ],
  A11: ['mkacxe', 5, 0.959, '6 nodes, 2 entries each', 131_250],
  A12: ['mkacxe', 8, 1, '3 nodes, 2 entries each', 11_444],
  A13: ['mkacxe', 10, 0.952, 'clusters of 3 and 2 nodes', 27_260],
  A14: ['mkacxe', 11, 0.955, '2 nodes, 2 entries each, up to 2 losses', 86_605],
  A15: ['mkacxe', 6, 1, '4 nodes, 2 of them 2 intervals each', 170_909],
  A16: ['mkacxe', 7, 1, 'ring of 5, an entry each', 29_199],
  A17: ['mkacxe', 7, 1, 'complete:3, each alone and with a, b and c in turn, two of them', 102_856],
  A18: ['mkacxe', 4, 1, '3 nodes, two of which enter once, one crash', 19_490],
  A19: ['mkcxe', 1, 0.961, '3 nodes, two of which enter, messages of 1 s', 941_259],
  A20: ['mkacxe', 7, 0.987, '4 nodes, 3 of them an entry each', 599_136],
  B1: [
    'mkacxe',
    11,
    0.952,
    '2 nodes, and 3 with messages of 100 ms, a crash and a restart',
    90_898,
  ],
  B2: ['mkacxe', 4, 0.956, 'rings of 4 in any order, each node may start', 86_736],
  B3: ['mkacxe', 5, 1, 'rings of 5 in any order, any node may start', 87_738],
  B4: ['mkacxe', 7, 1, 'rings of 4 in any order, each node may start, size known', 49_632],
  B5: ['mkacxe', 6, 0.991, 'two-way rings of 5 in any order, a starts', 22_012],
  B6: ['mkacxe', 7, 0.994, 'two-way rings of 4 in any order, any one initiator', 25_910],
  B7: ['mkacxe', 7, 0.971, '2 × 2 in any order, any set of initiators', 241_810],
  B8: ['mkacxe', 7, 0.993, '2 dimensions in any order, any set of initiators', 19_311],
  B9: ['mkacxe', 5, 1, 'all trees of 4 nodes, any two initiators', 45_408],
  B10: ['mkacxe', 5, 1, 'the trees of 2 to 4 nodes, any node may start', 48_213],
  B11: ['mkaxe', 6, 1, 'the 16 trees and 3 squares of 4 nodes, any set of initiators', 92_209],
  B12: ['mkacxe', 8, 0.985, 'all trees of 4 nodes, any set of initiators', 32_618],
  B13: [
    'mkaxe',
    4,
    0.955,
    'a registry and 3 nodes with one address each, each joins and leaves',
    77_649,
  ],
  B14: ['mkacxe', 7, 1, 'rings of 5 in any order, any node may start', 96_056],
  B15: ['mkacxe', 5, 1, 'ring of 4, each node may start', 137_221],
  B16: [
    'mkaxe',
    8,
    1,
    'the 19 graphs of 4 nodes with at most 4 edges, in each order of the weights, any set of initiators',
    47_653,
  ],
  B17: ['mkacxe', 3, 1, '4 nodes, two of which may crash', 23_009],
  C1: ['mkaxe', 8, 1, 'chain of 3, each sends and acts', 5754],
  C2: ['mkacxe', 5, 1, 'all connected graphs of 4 nodes, the initiator at each', 4604],
  C3: ['mkacxe', 6, 1, '3 nodes', 224_000],
  C4: ['mkacxe', 8, 1, '4 members, a message, a loss and a crash', 111_445],
  C4b: ['mkacxe', 5, 0.986, '2 members, both send, a loss, a crash', 32_179],
  C4c: ['mkacxe', 7, 1, '4 members, 3 senders', 55_073],
  C4t: ['mkacxe', 3, 0.968, 'elected, 3 members, a multicast each', 41_897],
  C5: ['mkax', 8, 0.963, '2 and 3 members, one of them multicasts and leaves, a crash', 3051],
  C6: ['mkaxe', 2, 1, '3 nodes, 2 of them an entry each', 1874],
};

/** For the algorithm with this id. */
export function shownOf(id: string): Shown {
  const [marks, mutants, score, what, states] = shown[id] ?? ['', 0, -1, '', 0];
  return {
    marks,
    mutants: mutants === 0 ? undefined : mutants,
    score: score < 0 ? undefined : score,
    largest: what === '' ? undefined : { what, states },
  };
}
