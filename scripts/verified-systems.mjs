/**
 * The systems that `npm run verify` checks, too large for the tests, with the expected results.
 *
 * `runs`: protocol, network and budget of each exploration of a row. Counts are added up; `depth` is the largest.
 * `violated`: the names of the properties that do not hold; without it, all hold. `large`: only with `--all`.
 */
import {
  acyclicGraph,
  centralCoordinator,
  dolevKlaweRodeh,
  echoToken,
  hierarchical,
  huntedToken,
  lelannChangRoberts,
  maekawa,
  raymond,
  regeneratedToken,
  ricartAgrawala,
  ricartAgrawalaAcknowledged,
  tokenRing,
  treeToken,
} from '@conclave/algorithms';
import { chain, complete, needs, ring, shuffledRing, topology } from '@conclave/core/topology';
import { reference } from '../bench/explore/reference.mjs';

const nodeNames = (n) => complete(n).nodes;
const isConnected = (graph) => needs.connected.refuses(graph) === undefined;

/** The trees of `n` nodes up to isomorphism, with the token at each position; the first node has it. */
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

const allGraphs = (n) => smallGraphs(n, (n * (n - 1)) / 2);

/** The connected graphs of the nodes a, b, c … with at most `most` edges; with `most` = n − 1 these are the trees. */
function smallGraphs(n, most) {
  const ids = nodeNames(n);
  const edges = pairs(ids).map(([one, other]) => `${one}-${other}`);
  const chosen = Array.from({ length: 2 ** edges.length }, (_, bits) => edges.filter((_, edge) => (bits >> edge) & 1));
  return chosen
    .filter(({ length }) => length <= most)
    .map((some) => topology(`edges:${[...ids, ...some].join()}`))
    .filter(isConnected);
}

const pairs = (ids) => ids.flatMap((one, place) => ids.slice(place + 1).map((other) => [one, other]));

/** The one-way rings of n nodes in each order of their ids, up to rotation. */
function rings(n) {
  const permutations = (ids) =>
    ids.length === 0 ? [[]] : ids.flatMap((id) => permutations(ids.filter((other) => other !== id)).map((rest) => [id, ...rest]));
  const [first, ...others] = nodeNames(n);
  return permutations(others).map((order) => ring([first, ...order]));
}

const rising = (n) => ring(nodeNames(n));
const falling = (n) => ring([...nodeNames(n)].reverse());
/** A9's orientation depends on ids too, so these are all labelled graphs. The first node has the token; in `graphsAnywhere`, each node in turn. */
const graphs = (n, options, budget) => allGraphs(n).map((graph) => [acyclicGraph(options), graph, budget]);
const graphsAnywhere = (n, options, budget) =>
  allGraphs(n).flatMap((graph) => graph.nodes.map((holder) => [acyclicGraph({ ...options, holder }), graph, budget]));
const trees = (n, protocol, budget) => treesWithToken(n).map((tree) => [protocol, tree, budget]);

const a3 = 'A3 Ricart–Agrawala';
const a5 = 'A5 Token search by echo wave';
const a6 = 'A6 Token search on a tree';
const a7 = 'A7 Raymond, the 9 trees of 5 nodes with the token anywhere';
const a9 = (n, graphs) => `A9 Token on a directed acyclic graph, all ${graphs} labelled graphs of ${n} nodes`;
const a10 = (n) => `A10 Hunted token, ring of ${n}`;
const a12 = (n) => `A12 Maekawa, ${n} nodes`;
const a13 = (n) => `A13 Hierarchical, ${n} nodes`;
const a14 = (n) => `A14 Regenerated token, ring of ${n}`;
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
    runs: () => [[ricartAgrawala, complete(3), { commands: 3, order: 'fifo' }]],
    expected: { states: 3_442_191, transitions: 8_978_842, depth: 54 },
  },
  {
    system: `${a3}, 3 nodes`,
    options: '3 entries each, any order',
    runs: () => [[ricartAgrawala, complete(3), { commands: 3 }]],
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
    runs: () => [[ricartAgrawala, complete(3), { commands: 2, losses: 1 }]],
    expected: { states: 2_195_094, transitions: 7_315_066, depth: 36 },
    violated: ['every node that wants to enter eventually enters', 'no node waits in a quiescent state'],
  },
  {
    system: `${a5}, the 31 graphs of 4 with at most 4 edges`,
    options: 'an entry for any two of them, any order',
    runs: () => smallGraphs(4, 4).flatMap((graph) => pairs(graph.nodes).map((initiators) => [echoToken(), graph, { initiators }])),
    expected: { states: 2_492_631, transitions: 10_390_569, depth: 26 },
  },
  {
    system: `${a5}, triangle`,
    options: 'an entry each, any order',
    runs: () => [[echoToken(), complete(3), {}]],
    expected: { states: 534_609, transitions: 2_575_895, depth: 30 },
  },
  {
    system: `${a5}, chain of 3`,
    options: '2 entries each, any order',
    runs: () => [[echoToken(), chain(3), { commands: 2 }]],
    expected: { states: 1_329_099, transitions: 7_709_327, depth: 41 },
  },
  {
    system: `${a5}, 4 nodes with all edges but one`,
    options: 'an entry for c and d, any order',
    runs: () => [[echoToken(), topology('edges:a-b,a-c,a-d,b-c,b-d'), { initiators: ['c', 'd'] }]],
    expected: { states: 906_540, transitions: 4_623_774, depth: 30 },
  },
  {
    system: `${a5}, chain of 4`,
    options: 'an entry each, any order',
    runs: () => [[echoToken(), chain(4), {}]],
    expected: { states: 653_428, transitions: 3_476_078, depth: 39 },
  },
  {
    system: `${a6}, the 125 trees of 5`,
    options: 'an entry for any two of them, any order',
    runs: () => smallGraphs(5, 4).flatMap((tree) => pairs(tree.nodes).map((initiators) => [treeToken(), tree, { initiators }])),
    expected: { states: 401_096, transitions: 1_173_728, depth: 20 },
  },
  {
    system: `${a6}, the 16 trees of 4`,
    options: 'an entry each, any order',
    runs: () => smallGraphs(4, 3).map((tree) => [treeToken(), tree, {}]),
    expected: { states: 402_139, transitions: 1_701_137, depth: 28 },
  },
  {
    system: `${a6}, chain of 4`,
    options: '2 entries each, FIFO',
    runs: () => [[treeToken(), chain(4), { commands: 2, order: 'fifo' }]],
    expected: { states: 1_435_666, transitions: 4_995_281, depth: 53 },
  },
  {
    system: `${a6}, chain of 5`,
    options: 'an entry each, any order',
    runs: () => [[treeToken(), chain(5), {}]],
    expected: { states: 1_159_390, transitions: 6_244_787, depth: 41 },
  },
  {
    system: `${a6}, the 9 trees of 5 nodes with the token anywhere`,
    options: 'an entry each, FIFO',
    runs: () => trees(5, treeToken(), { order: 'fifo' }),
    expected: { states: 10_070_888, transitions: 41_177_250, depth: 42 },
  },
  {
    system: a7,
    options: '2 entries each, any order',
    runs: () => trees(5, raymond(), { commands: 2 }),
    expected: { states: 1_667_469, transitions: 4_913_226, depth: 39 },
  },
  {
    system: a7,
    options: '2 entries each, FIFO',
    runs: () => trees(5, raymond(), { commands: 2, order: 'fifo' }),
    expected: { states: 1_254_579, transitions: 3_659_384, depth: 39 },
  },
  {
    system: a7,
    options: 'piggyback, 2 entries each, any order',
    runs: () => trees(5, raymond({ piggyback: true }), { commands: 2 }),
    expected: { states: 1_892_654, transitions: 5_457_646, depth: 37 },
  },
  {
    system: a7,
    options: 'greedy 1, 2 entries each, any order',
    runs: () => trees(5, raymond({ greedy: 1 }), { commands: 2 }),
    expected: { states: 3_714_211, transitions: 10_824_854, depth: 45 },
  },
  {
    system: a7,
    options: 'piggyback, greedy 1, 2 entries each, any order',
    runs: () => trees(5, raymond({ piggyback: true, greedy: 1 }), { commands: 2 }),
    expected: { states: 4_068_120, transitions: 11_654_870, depth: 40 },
  },
  {
    system: a9(4, 38),
    options: 'travelled, token anywhere, 2 entries each, any order',
    runs: () => graphsAnywhere(4, {}, { commands: 2 }),
    expected: { states: 2_122_784, transitions: 5_358_448, depth: 30 },
  },
  {
    system: a9(4, 38),
    options: 'travelled, requests over any edge, 2 entries each, any order',
    runs: () => graphs(4, { edge: 'any' }, { commands: 2 }),
    expected: { states: 1_686_189, transitions: 3_251_220, depth: 40 },
  },
  {
    system: a9(5, 728),
    options: 'travelled, an entry each, any order',
    runs: () => graphs(5, {}, {}),
    expected: { states: 5_556_312, transitions: 14_976_064, depth: 30 },
  },
  {
    system: a9(4, 38),
    options: 'acknowledged, 2 entries each, FIFO',
    runs: () => graphs(4, { reversal: 'acknowledged' }, { commands: 2, order: 'fifo' }),
    expected: { states: 3_462_530, transitions: 9_815_738, depth: 61 },
  },
  {
    system: a9(4, 38),
    options: 'acknowledged, requests over any edge, an entry each, any order',
    runs: () => graphs(4, { reversal: 'acknowledged', edge: 'any' }, {}),
    expected: { states: 359_383, transitions: 759_512, depth: 51 },
  },
  {
    system: a9(4, 38),
    options: 'numbered, requests over any edge, an entry each, any order',
    runs: () => graphs(4, { reversal: 'numbered', edge: 'any' }, {}),
    expected: { states: 653_045, transitions: 1_334_254, depth: 50 },
  },
  {
    system: a9(3, 4),
    options: 'numbered, token anywhere, 3 entries each, any order',
    runs: () => graphsAnywhere(3, { reversal: 'numbered' }, { commands: 3 }),
    expected: { states: 1_112_496, transitions: 2_511_276, depth: 55 },
  },
  {
    system: a10(4),
    options: '2 entries each, any order',
    runs: () => [[huntedToken(), ring(4), { commands: 2 }]],
    expected: { states: 1_000_268, transitions: 3_847_811, depth: 51 },
  },
  {
    system: a10(5),
    options: '2 entries each, FIFO',
    runs: () => [[huntedToken(), ring(5), { commands: 2, order: 'fifo' }]],
    expected: { states: 818_038, transitions: 2_587_402, depth: 74 },
  },
  {
    system: a10(6),
    options: 'an entry each, any order',
    runs: () => [[huntedToken(), ring(6), {}]],
    expected: { states: 1_908_950, transitions: 6_595_311, depth: 53 },
  },
  {
    system: a10(3),
    options: '4 entries each, any order',
    runs: () => [[huntedToken(), ring(3), { commands: 4 }]],
    expected: { states: 1_666_105, transitions: 7_366_134, depth: 62 },
  },
  {
    system: a10(7),
    options: 'an entry each, FIFO',
    runs: () => [[huntedToken(), ring(7), { order: 'fifo' }]],
    expected: { states: 755_388, transitions: 2_524_866, depth: 69 },
  },
  {
    system: a12(3),
    options: '4 entries each, FIFO',
    runs: () => [[maekawa(), complete(3), { commands: 4 }]],
    expected: { states: 703_916, transitions: 1_833_008, depth: 64 },
  },
  {
    system: a12(4),
    options: 'three of them enter twice, FIFO',
    runs: () => [[maekawa(), complete(4), { commands: 2, initiators: ['b', 'c', 'd'] }]],
    expected: { states: 493_270, transitions: 1_740_924, depth: 52 },
  },
  {
    system: a12(4),
    options: 'majorities, an entry each, FIFO',
    runs: () => [[maekawa({ quorums: 'majority' }), complete(4), {}]],
    expected: { states: 423_004, transitions: 1_754_039, depth: 35 },
  },
  {
    system: a12(5),
    options: 'majorities, four of them enter, FIFO',
    runs: () => [[maekawa({ quorums: 'majority' }), complete(5), { initiators: ['a', 'b', 'c', 'd'] }]],
    expected: { states: 404_385, transitions: 1_840_529, depth: 34 },
  },
  {
    system: a12(7),
    options: 'projective plane, four of them enter, FIFO',
    runs: () => [[maekawa(), complete(7), { initiators: ['d', 'e', 'f', 'g'] }]],
    expected: { states: 151_073, transitions: 695_269, depth: 34 },
  },
  {
    system: a12(7),
    options: 'projective plane, five of them enter, FIFO',
    runs: () => [[maekawa(), complete(7), { initiators: ['c', 'd', 'e', 'f', 'g'] }]],
    expected: { states: 7_286_588, transitions: 41_718_357, depth: 43 },
    large: true,
  },
  {
    system: `${a3}, acknowledged, 3 nodes`,
    options: 'an entry each, one crash, any order, bounded time, strong fairness',
    runs: () => [[ricartAgrawalaAcknowledged(), complete(3), { crashes: 1, fairness: 'strong' }]],
    expected: { states: 3_680_761, transitions: 15_680_353, depth: 31 },
  },
  {
    system: a13(4),
    options: 'token ring in each cluster, Ricart–Agrawala between, two turns, 2 entries each, any order',
    runs: () => [[hierarchical({ within: tokenRing(), between: ricartAgrawala, turns: 2 }), complete(4), { commands: 2 }]],
    expected: { states: 2_017_160, transitions: 8_228_146, depth: 58 },
  },
  {
    system: a13(6),
    options: 'coordinators within, Raymond between, two turns, 2 entries each, FIFO',
    runs: () => [
      [hierarchical({ within: centralCoordinator(), between: raymond(), turns: 2 }), complete(6), { commands: 2, order: 'fifo' }],
    ],
    expected: { states: 381_843, transitions: 1_271_784, depth: 76 },
  },
  {
    system: a13(8),
    options: 'coordinators within, Raymond between, an entry each, any order',
    runs: () => [[hierarchical({ within: centralCoordinator(), between: raymond() }), complete(8), {}]],
    expected: { states: 220_084, transitions: 863_214, depth: 52 },
  },
  {
    system: a13(6),
    options: 'token ring in each cluster, Ricart–Agrawala between, an entry each, any order',
    runs: () => [[hierarchical({ within: tokenRing(), between: ricartAgrawala }), complete(6), {}]],
    expected: { states: 179_421, transitions: 597_878, depth: 47 },
  },
  {
    system: a14(3),
    options: 'given coordinator, 2 entries each, 2 messages lost, any order, bounded time',
    runs: () => [[regeneratedToken({ coordinator: 'a' }), ring(3), { commands: 2, losses: 2 }]],
    expected: { states: 376_097, transitions: 1_340_040, depth: 75 },
  },
  {
    system: a14(4),
    options: 'given coordinator, an entry each, 2 messages lost, any order, bounded time',
    runs: () => [[regeneratedToken({ coordinator: 'a' }), ring(4), { losses: 2 }]],
    expected: { states: 202_329, transitions: 679_272, depth: 68 },
  },
  {
    system: a14(4),
    options: 'elected coordinator, an entry each, one message lost, any order, bounded time, strong fairness',
    runs: () => [[regeneratedToken(), ring(4), { losses: 1, fairness: 'strong' }]],
    expected: { states: 312_651, transitions: 1_119_971, depth: 73 },
  },
  {
    system: a14(3),
    options: 'elected coordinator, 2 entries each, one message lost, any order, bounded time, strong fairness',
    runs: () => [[regeneratedToken(), ring(3), { commands: 2, losses: 1, fairness: 'strong' }]],
    expected: { states: 393_980, transitions: 1_257_994, depth: 78 },
  },
  {
    system: `${b3}, the 120 rings of 6`,
    options: 'any node may start, any order',
    runs: () => rings(6).map((ring) => [lelannChangRoberts, ring, {}]),
    expected: { states: 2_428_215, transitions: 11_739_532, depth: 28 },
  },
  {
    system: `${b3}, ring of 8, ids rising`,
    options: 'any node may start, any order',
    runs: () => [[lelannChangRoberts, rising(8), {}]],
    expected: { states: 117_456, transitions: 726_640, depth: 24 },
  },
  {
    system: `${b3}, ring of 8, ids falling`,
    options: 'any node may start, any order',
    runs: () => [[lelannChangRoberts, falling(8), {}]],
    expected: { states: 6_138_322, transitions: 41_869_791, depth: 45 },
  },
  {
    system: `${b3}, ring of 8, ids shuffled`,
    options: 'any node may start, any order',
    runs: () => [[lelannChangRoberts, shuffledRing(8, 1), {}]],
    expected: { states: 325_706, transitions: 2_070_496, depth: 28 },
  },
  {
    system: `${b14}, the 120 rings of 6`,
    options: 'any node may start, FIFO',
    runs: () => rings(6).map((ring) => [dolevKlaweRodeh, ring, {}]),
    expected: { states: 2_386_104, transitions: 13_074_096, depth: 42 },
  },
  {
    system: `${b14}, ring of 8, ids rising`,
    options: 'any node may start, FIFO',
    runs: () => [[dolevKlaweRodeh, rising(8), {}]],
    expected: { states: 314_680, transitions: 2_348_167, depth: 40 },
  },
  {
    system: `${b14}, ring of 8, the most phases possible`,
    options: 'any node may start, FIFO',
    runs: () => [[dolevKlaweRodeh, ring(['a', 'e', 'b', 'g', 'c', 'f', 'd', 'h']), {}]],
    expected: { states: 774_247, transitions: 5_713_646, depth: 72 },
  },
  {
    system: `${b14}, ring of 8, ids shuffled`,
    options: 'any node may start, FIFO',
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
