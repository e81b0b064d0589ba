/**
 * What `npm run verify` proves: systems too large for the tests. Each with what there is to be found.
 *
 * `runs`: protocol, network and budget of each exploration of a row, whose counts are added up; `depth` is the largest.
 * `violated`: the properties that do not hold, by name; where it is left out, all hold. `large`: only with `--all`.
 */
import { dolevKlaweRodeh, lelannChangRoberts, raymond, ricartAgrawala } from '@conclave/algorithms';
import { complete, nodeNames, ring, shuffledRing, topology } from '@conclave/core/topology';
import { reference } from '../bench/explore/reference.mjs';

/** The trees of `n` nodes with the token, which the first node has, at each place, up to isomorphism. */
function treesWithToken(n) {
  const names = nodeNames(n);
  const trees = new Map();
  const shape = (parents, node) =>
    `(${parents
      .flatMap((p, i) => (p === node ? [shape(parents, i + 1)] : []))
      .sort()
      .join('')})`;
  const grow = (parents) => {
    if (parents.length < n - 1) for (let p = 0; p <= parents.length; p++) grow([...parents, p]);
    else trees.set(shape(parents, 0), `edges:${parents.map((p, i) => `${names[p]}-${names[i + 1]}`).join(',')}`);
  };
  grow([]);
  return [...trees.values()].map((spec) => topology(spec));
}

/** The one-way rings of n nodes in each order of their ids, up to where one begins to read. */
function rings(n) {
  const permutations = (ids) =>
    ids.length === 0 ? [[]] : ids.flatMap((id) => permutations(ids.filter((other) => other !== id)).map((rest) => [id, ...rest]));
  const [first, ...others] = nodeNames(n);
  return permutations(others).map((order) => ring([first, ...order]));
}

const rising = (n) => ring(nodeNames(n));
const falling = (n) => ring([...nodeNames(n)].reverse());
const trees = (n, protocol, budget) => treesWithToken(n).map((tree) => [protocol, tree, budget]);

const a3 = 'A3 Ricart–Agrawala';
const a7 = 'A7 Raymond, the 9 trees of 5 nodes with the token anywhere';
const b3 = 'B3 LeLann–Chang–Roberts';
const b14 = 'B14 Dolev–Klawe–Rodeh';

export const systems = [
  {
    system: 'Reference model, 3 nodes',
    options: '3 entries each, FIFO',
    runs: () => [reference(3, 3)],
    expected: { states: 7_171_438, transitions: 18_025_617, depth: 54 },
  },
  {
    system: `${a3}, 3 nodes`,
    options: '3 entries each, FIFO',
    runs: () => [[ricartAgrawala, complete(3), { wishes: 3, order: 'fifo' }]],
    expected: { states: 3_442_191, transitions: 8_978_842, depth: 54 },
  },
  {
    system: `${a3}, 3 nodes`,
    options: '3 entries each, any order',
    runs: () => [[ricartAgrawala, complete(3), { wishes: 3 }]],
    expected: { states: 10_842_222, transitions: 33_742_304, depth: 54 },
  },
  {
    system: `${a3}, 4 nodes`,
    options: 'an entry each, FIFO',
    runs: () => [[ricartAgrawala, complete(4), { order: 'fifo' }]],
    expected: { states: 11_628_856, transitions: 48_531_545, depth: 32 },
  },
  {
    system: `${a3}, 4 nodes`,
    options: 'an entry each, any order',
    runs: () => [[ricartAgrawala, complete(4), {}]],
    expected: { states: 35_251_321, transitions: 189_370_783, depth: 32 },
  },
  {
    system: `${a3}, 3 nodes`,
    options: '2 entries each, any order, one message lost',
    runs: () => [[ricartAgrawala, complete(3), { wishes: 2, losses: 1 }]],
    expected: { states: 2_195_094, transitions: 7_315_066, depth: 36 },
    violated: ['every node that wants to enter does so in the end', 'nobody waits when nothing can happen any more'],
  },
  {
    system: a7,
    options: '2 entries each, any order',
    runs: () => trees(5, raymond(), { wishes: 2 }),
    expected: { states: 1_667_469, transitions: 4_913_226, depth: 39 },
  },
  {
    system: a7,
    options: '2 entries each, FIFO',
    runs: () => trees(5, raymond(), { wishes: 2, order: 'fifo' }),
    expected: { states: 1_254_579, transitions: 3_659_384, depth: 39 },
  },
  {
    system: a7,
    options: 'piggyback, 2 entries each, any order',
    runs: () => trees(5, raymond({ piggyback: true }), { wishes: 2 }),
    expected: { states: 1_892_654, transitions: 5_457_646, depth: 37 },
  },
  {
    system: a7,
    options: 'greedy 1, 2 entries each, any order',
    runs: () => trees(5, raymond({ greedy: 1 }), { wishes: 2 }),
    expected: { states: 3_714_211, transitions: 10_824_854, depth: 45 },
  },
  {
    system: a7,
    options: 'piggyback, greedy 1, 2 entries each, any order',
    runs: () => trees(5, raymond({ piggyback: true, greedy: 1 }), { wishes: 2 }),
    expected: { states: 4_068_120, transitions: 11_654_870, depth: 40 },
  },
  {
    system: `${b3}, the 120 rings of 6`,
    options: 'anybody may begin, any order',
    runs: () => rings(6).map((ring) => [lelannChangRoberts, ring, {}]),
    expected: { states: 2_428_215, transitions: 11_739_532, depth: 28 },
  },
  {
    system: `${b3}, ring of 8, ids rising`,
    options: 'anybody may begin, any order',
    runs: () => [[lelannChangRoberts, rising(8), {}]],
    expected: { states: 117_456, transitions: 726_640, depth: 24 },
  },
  {
    system: `${b3}, ring of 8, ids falling`,
    options: 'anybody may begin, any order',
    runs: () => [[lelannChangRoberts, falling(8), {}]],
    expected: { states: 6_138_322, transitions: 41_869_791, depth: 45 },
  },
  {
    system: `${b3}, ring of 8, ids shuffled`,
    options: 'anybody may begin, any order',
    runs: () => [[lelannChangRoberts, shuffledRing(8, 1), {}]],
    expected: { states: 325_706, transitions: 2_070_496, depth: 28 },
  },
  {
    system: `${b14}, the 120 rings of 6`,
    options: 'anybody may begin, FIFO',
    runs: () => rings(6).map((ring) => [dolevKlaweRodeh, ring, {}]),
    expected: { states: 2_386_104, transitions: 13_074_096, depth: 42 },
  },
  {
    system: `${b14}, ring of 8, ids rising`,
    options: 'anybody may begin, FIFO',
    runs: () => [[dolevKlaweRodeh, rising(8), {}]],
    expected: { states: 314_680, transitions: 2_348_167, depth: 40 },
  },
  {
    system: `${b14}, ring of 8, as many phases as can be`,
    options: 'anybody may begin, FIFO',
    runs: () => [[dolevKlaweRodeh, ring(['a', 'e', 'b', 'g', 'c', 'f', 'd', 'h']), {}]],
    expected: { states: 774_247, transitions: 5_713_646, depth: 72 },
  },
  {
    system: `${b14}, ring of 8, ids shuffled`,
    options: 'anybody may begin, FIFO',
    runs: () => [[dolevKlaweRodeh, shuffledRing(8, 1), {}]],
    expected: { states: 406_892, transitions: 3_009_100, depth: 56 },
  },
  {
    system: 'Reference model, 4 nodes',
    options: 'an entry each, FIFO',
    runs: () => [reference(4, 1)],
    expected: { states: 127_708_821, transitions: 360_235_928, depth: 32 },
    large: true,
  },
];
