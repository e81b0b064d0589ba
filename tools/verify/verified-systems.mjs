/**
 * The systems that `npm run verify` checks, too large for the tests, with the expected results.
 *
 * A row: the system, its options, the expected `[states, transitions, depth]`, and `runs`:
 * protocol, network and budget of each exploration. Counts are added up; `depth` is the largest.
 * `violated`: the names of the properties that do not hold; without it, all hold. `large`: only
 * with `--all`.
 */
import {
  acknowledgedMulticast,
  acyclicGraph,
  adoption,
  appointments,
  bully,
  catalogue,
  causalFairness,
  causalMulticast,
  centralCoordinator,
  collectedIds,
  collectedIdsAcknowledged,
  diningPhilosophers,
  dolevKlaweRodeh,
  echo,
  echoToken,
  extinction,
  firewire,
  franklin,
  fullCirculation,
  gallagerHumbletSpira,
  groupLock,
  heartbeat,
  hierarchical,
  hirschbergSinclair,
  huntedToken,
  hypercubeElection,
  intervalReservation,
  itaiRodeh,
  lamport,
  leasedMajority,
  lelannChangRoberts,
  logicalClock,
  maekawa,
  membership,
  mesh,
  naimiTrehel,
  negativeMulticast,
  protocolOf,
  raymond,
  regeneratedToken,
  ricartAgrawala,
  ricartAgrawala83,
  ricartAgrawalaAcknowledged,
  ricartAgrawalaEcho,
  ricartAgrawalaRing,
  suzukiKasami,
  tokenRing,
  totalMulticast,
  treeToken,
  treeWave,
  viewLeader,
  virtualTree,
} from '@conclave/algorithms';
import { nodesAccepting } from '@conclave/core/internal/protocol';
import { always, increases } from '@conclave/core/protocol';
import { chain, complete, ring, shuffledRing, star, topology } from '@conclave/core/topology';
import { reference } from '../bench/explore/reference.mjs';
import {
  allGraphs,
  cubes,
  grids,
  nodeNames,
  pairs,
  reduced,
  rings,
  shapes,
  smallGraphs,
  treesWithLargest,
  treesWithToken,
  twoWayRings,
  weighted,
  withAnyInitiators,
} from './verified-networks.mjs';

const rising = (n) => ring(nodeNames(n));
const falling = (n) => ring([...nodeNames(n)].reverse());
/**
 * A9's orientation depends on ids too, so these are all labelled graphs. The first node has the
 * token; in `graphsAnywhere`, each node in turn.
 */
const given = (options) => acyclicGraph({ ...options, startUp: 'given' });
const graphs = (n, options, budget) => allGraphs(n).map((graph) => [given(options), graph, budget]);
const graphsAnywhere = (n, options, budget) =>
  allGraphs(n).flatMap((graph) =>
    graph.nodes.map((holder) => [given({ ...options, holder }), graph, budget]),
  );
const trees = (n, protocol, budget) => treesWithToken(n).map((tree) => [protocol, tree, budget]);

/** A13 with any plain lock on each level: two members of one cluster and one of another enter. */
function hierarchies() {
  const others = [
    'causal-fairness',
    'group-lock',
    'hierarchical',
    'interval-reservation',
    'leased-majority',
    'regenerated-token',
  ];
  const locks = catalogue.filter(
    ({ name, make }) => make().problem === 'mutual-exclusion' && !others.includes(name),
  );
  return locks.flatMap(({ name: within }) =>
    locks.map(({ name: between }) => {
      // a representative only serves the others
      const [nodes, clusters] = between === 'central-coordinator' ? [6, 3] : [5, 2];
      const protocol = protocolOf('hierarchical', { within, between, clusters });
      return [
        protocol,
        complete(nodes),
        { initiators: nodesAccepting(protocol, complete(nodes), 'acquire').slice(-3) },
      ];
    }),
  );
}

const labelled = (n, graphs) => `all ${graphs} labelled graphs of ${n} nodes`;
const a3 = 'A3 Ricart–Agrawala';
const a5 = 'A5 Token search by echo wave';
const a6 = 'A6 Token search on a tree';
const a7 = 'A7 Raymond, the 9 trees of 5 nodes with the token anywhere';
const a9 = (n, graphs) => `A9 Token on a directed acyclic graph, ${labelled(n, graphs)}`;
const a10 = (n) => `A10 Hunted token, ring of ${n}`;
const a12 = (n) => `A12 Maekawa, ${n} nodes`;
const a13 = (n) => `A13 Hierarchical, ${n} nodes`;
const a14 = (n) => `A14 Regenerated token, ring of ${n}`;
/**
 * A lease as short as it may be, and messages of exactly one second: the fewer moments, the fewer
 * worlds.
 */
const leased = leasedMajority({ lease: 5_000, renewal: 2_000 });
const leasedTime = { kind: 'exact', delay: [1_000, 1_000], stays: { critical: [0, 1_000] } };
const a16 = 'A16 Dining philosophers';
const a17 = 'A17 Appointments';
const c4b = (n) => `C4b Negative multicast of equal data, ${n} members`;
const b2 = 'B2 Ring election with collected ids';
const b3 = 'B3 LeLann–Chang–Roberts';
const b5 = 'B5 Franklin';
const b6 = 'B6 Hirschberg–Sinclair';
const b10 = 'B10 FireWire root election';
const b11 = 'B11 Adoption';
const b16 = (n, graphs) =>
  `B16 Gallager–Humblet–Spira, the ${graphs} of ${n} nodes in each order of the weights`;
const b4 = 'B4 Full circulation';
const b7 = 'B7 Election in a mesh';
const b8 = 'B8 Election in a hypercube';
const b13 = 'B13 Virtual tree';
const b14 = 'B14 Dolev–Klawe–Rodeh';
const b1 = (n) => `B1 Bully, ${n} nodes`;
/** Messages of exactly 100 ms. */
const fixed = { kind: 'exact', delay: [100, 100] };
const b15 = 'B15 Itai–Rodeh';
const b9 = (n, trees) =>
  `B9 Tree election by waves, the ${trees} trees of ${n} nodes with the largest id anywhere`;
const b12 = (n, graphs) => `B12 Extinction by flooding, ${graphs} labelled graphs of ${n} nodes`;
const terminating = extinction({ terminating: true });
const dense = allGraphs(4).filter(({ links }) => links.length >= 10);
const anyReduced = (protocol, networks, options = {}) =>
  withAnyInitiators(protocol, networks).map(([given, network, budget]) => [
    given,
    network,
    { ...budget, ...options, ...reduced(protocol) },
  ]);
const c6 = (lock) => `C6 Causal fairness of ${lock}`;
const c1 = 'C1 Logical clocks';
const c5 = 'C5 Group membership';
/** Bully, and what its terms promise where at most one node crashes. */
function growing() {
  const protocol = bully();
  const term = (node) => (node.tags.has('leader') ? Number(node.context.term) : undefined);
  return {
    ...protocol,
    properties: [
      ...protocol.properties,
      increases('each leader has a later term than every leader before it', term),
    ],
  };
}

/** A crash in the middle of a step, which may also lose what its node sent in earlier steps. */
const losing = { crashes: 1, unsent: true };
const [joining, leaving, speaking] = [
  { type: 'join' },
  { type: 'leave' },
  { type: 'multicast', data: 'x' },
];
/** All multicasts carry the same data: with both examples, the systems are too large. */
const equal = { inputs: [speaking] };
const c2 = `C2 Echo algorithm, ${labelled(5, 728)}`;

const c4 = (n) => `C4 Acknowledged multicast of equal data, ${n} members`;
const [sender, twoSenders, faults, untimed] = [
  { initiators: ['a'] },
  { initiators: ['a', 'b'] },
  { losses: 2, crashes: 1 },
  { time: 'untimed' },
];
/** C4 with relays at first receipt, and at silence. */
const relayed = (options, n, budget) =>
  ['first', 'silence'].map((relay) => [
    acknowledgedMulticast({ ...options, relay }),
    complete(n),
    { ...equal, ...budget },
  ]);

const interval = ([from, to]) => ({ type: 'acquire', interval: { from, to } });

const row = (system, options, [states, transitions, depth], runs, more = {}) => ({
  system,
  options,
  expected: { states, transitions, depth },
  runs,
  ...more,
});

export const systems = [
  row('Reference model, 3 nodes', '3 entries each, FIFO', [7_171_438, 18_025_617, 54], () => [
    reference(3, 3),
  ]),
  row(
    'A1 Central coordinator, 5 clients',
    '2 entries each, any order',
    [208_965, 586_270, 50],
    () => [[centralCoordinator(), star(6), { commands: 2 }]],
  ),
  row('A2 Lamport, 3 nodes', 'an entry each, FIFO', [529_584, 1_405_220, 24], () => [
    [lamport, complete(3), {}],
  ]),
  row('A2 Lamport, 3 nodes', 'two of them enter twice, FIFO', [526_481, 1_305_888, 32], () => [
    [lamport, complete(3), { commands: 2, initiators: ['a', 'b'] }],
  ]),
  row(`${a3}, 3 nodes`, '2 entries each, any order', [648_818, 1_880_784, 36], () => [
    [ricartAgrawala, complete(3), { commands: 2 }],
  ]),
  row(`${a3}, 3 nodes`, '3 entries each, FIFO', [3_442_191, 8_978_842, 54], () => [
    [ricartAgrawala, complete(3), { commands: 3, order: 'fifo' }],
  ]),
  row(`${a3}, 3 nodes`, '3 entries each, any order', [10_842_222, 33_742_304, 54], () => [
    [ricartAgrawala, complete(3), { commands: 3 }],
  ]),
  row(`${a3}, 4 nodes`, 'an entry each, FIFO', [11_628_856, 48_531_545, 32], () => [
    [ricartAgrawala, complete(4), { order: 'fifo' }],
  ]),
  row(`${a3}, 4 nodes`, 'an entry each, any order', [35_251_321, 189_370_783, 32], () => [
    [ricartAgrawala, complete(4), {}],
  ]),
  row(
    `${a3}, 3 nodes`,
    '2 entries each, any order, one message lost',
    [2_195_094, 7_315_066, 36],
    () => [[ricartAgrawala, complete(3), { commands: 2, losses: 1 }]],
    {
      violated: [
        'every node that wants to enter eventually enters',
        'no node waits in a quiescent state',
      ],
    },
  ),
  row('A4 Ricart–Agrawala 1983, 4 nodes', 'an entry each, any order', [89_839, 502_625, 24], () => [
    [ricartAgrawala83(), complete(4), {}],
  ]),
  row('A4b Suzuki–Kasami, 4 nodes', 'an entry each, any order', [125_157, 693_406, 24], () => [
    [suzukiKasami(), complete(4), {}],
  ]),
  row(
    `${a5}, the 31 graphs of 4 with at most 4 edges`,
    'an entry for any two of them, any order',
    [2_492_631, 10_390_569, 26],
    () =>
      smallGraphs(4, 4).flatMap((graph) =>
        pairs(graph.nodes).map((initiators) => [echoToken(), graph, { initiators }]),
      ),
  ),
  row(`${a5}, triangle`, 'an entry each, any order', [534_609, 2_575_895, 30], () => [
    [echoToken(), complete(3), {}],
  ]),
  row(`${a5}, chain of 3`, '2 entries each, any order', [1_329_099, 7_709_327, 41], () => [
    [echoToken(), chain(3), { commands: 2 }],
  ]),
  row(
    `${a5}, 4 nodes with all edges but one`,
    'an entry for c and d, any order',
    [906_540, 4_623_774, 30],
    () => [[echoToken(), topology('edges:a-b,a-c,a-d,b-c,b-d'), { initiators: ['c', 'd'] }]],
  ),
  row(`${a5}, chain of 4`, 'an entry each, any order', [653_428, 3_476_078, 39], () => [
    [echoToken(), chain(4), {}],
  ]),
  row(
    `${a6}, the 125 trees of 5`,
    'an entry for any two of them, any order',
    [401_096, 1_173_728, 20],
    () =>
      smallGraphs(5, 4).flatMap((tree) =>
        pairs(tree.nodes).map((initiators) => [treeToken(), tree, { initiators }]),
      ),
  ),
  row(`${a6}, the 16 trees of 4`, 'an entry each, any order', [402_139, 1_701_137, 28], () =>
    smallGraphs(4, 3).map((tree) => [treeToken(), tree, {}]),
  ),
  row(`${a6}, chain of 4`, '2 entries each, FIFO', [1_435_666, 4_995_281, 53], () => [
    [treeToken(), chain(4), { commands: 2, order: 'fifo' }],
  ]),
  row(`${a6}, chain of 5`, 'an entry each, any order', [1_159_390, 6_244_787, 41], () => [
    [treeToken(), chain(5), {}],
  ]),
  row(
    `${a6}, the 9 trees of 5 nodes with the token anywhere`,
    'an entry each, FIFO',
    [10_070_888, 41_177_250, 42],
    () => trees(5, treeToken(), { order: 'fifo' }),
  ),
  row(a7, '2 entries each, any order', [1_667_469, 4_913_226, 39], () =>
    trees(5, raymond(), { commands: 2 }),
  ),
  row(a7, '2 entries each, FIFO', [1_254_579, 3_659_384, 39], () =>
    trees(5, raymond(), { commands: 2, order: 'fifo' }),
  ),
  row(a7, 'piggyback, 2 entries each, any order', [1_892_654, 5_457_646, 37], () =>
    trees(5, raymond({ piggyback: true }), { commands: 2 }),
  ),
  row(a7, 'greedy 1, 2 entries each, any order', [3_714_211, 10_824_854, 45], () =>
    trees(5, raymond({ greedy: 1 }), { commands: 2 }),
  ),
  row(a7, 'piggyback, greedy 1, 2 entries each, any order', [4_068_120, 11_654_870, 40], () =>
    trees(5, raymond({ piggyback: true, greedy: 1 }), { commands: 2 }),
  ),
  row('A8 Naimi–Trehel, 6 nodes', 'an entry each, any order', [187_696, 593_824, 28], () => [
    [naimiTrehel(), complete(6), {}],
  ]),
  row(a9(4, 38), 'acknowledged, an entry each, any order', [92_607, 224_822, 38], () =>
    graphs(4, { reversal: 'acknowledged' }, {}),
  ),
  row(a9(4, 38), 'numbered, an entry each, any order', [127_302, 282_777, 34], () =>
    graphs(4, { reversal: 'numbered' }, {}),
  ),
  row(
    a9(4, 38),
    'travelled, token anywhere, 2 entries each, any order',
    [2_122_784, 5_358_448, 30],
    () => graphsAnywhere(4, {}, { commands: 2 }),
  ),
  row(
    a9(4, 38),
    'travelled, requests over any edge, 2 entries each, any order',
    [1_686_189, 3_251_220, 40],
    () => graphs(4, { edge: 'any' }, { commands: 2 }),
  ),
  row(a9(5, 728), 'travelled, an entry each, any order', [5_556_312, 14_976_064, 30], () =>
    graphs(5, {}, {}),
  ),
  row(a9(4, 38), 'acknowledged, 2 entries each, FIFO', [3_462_530, 9_815_738, 61], () =>
    graphs(4, { reversal: 'acknowledged' }, { commands: 2, order: 'fifo' }),
  ),
  row(
    a9(4, 38),
    'acknowledged, requests over any edge, an entry each, any order',
    [359_383, 759_512, 51],
    () => graphs(4, { reversal: 'acknowledged', edge: 'any' }, {}),
  ),
  row(
    a9(4, 38),
    'numbered, requests over any edge, an entry each, any order',
    [653_045, 1_334_254, 50],
    () => graphs(4, { reversal: 'numbered', edge: 'any' }, {}),
  ),
  row(
    a9(3, 4),
    'numbered, token anywhere, 3 entries each, any order',
    [1_112_496, 2_511_276, 55],
    () => graphsAnywhere(3, { reversal: 'numbered' }, { commands: 3 }),
  ),
  row(
    a9(4, 38),
    'start-up by a wave, travelled, an entry each, any order',
    [262_556, 909_335, 32],
    () => allGraphs(4).map((graph) => [acyclicGraph(), graph, {}]),
  ),
  row(
    a9(3, 4),
    'start-up by a wave, numbered, 2 entries each, any order',
    [28_850, 59_802, 42],
    () =>
      allGraphs(3).map((graph) => [acyclicGraph({ reversal: 'numbered' }), graph, { commands: 2 }]),
  ),
  row(a10(4), '2 entries each, any order', [1_000_268, 3_847_811, 51], () => [
    [huntedToken(), ring(4), { commands: 2 }],
  ]),
  row(a10(5), '2 entries each, FIFO', [818_038, 2_587_402, 74], () => [
    [huntedToken(), ring(5), { commands: 2, order: 'fifo' }],
  ]),
  row(a10(6), 'an entry each, any order', [1_908_950, 6_595_311, 53], () => [
    [huntedToken(), ring(6), {}],
  ]),
  row(a10(3), '4 entries each, any order', [1_666_105, 7_366_134, 62], () => [
    [huntedToken(), ring(3), { commands: 4 }],
  ]),
  row(a10(7), 'an entry each, FIFO', [755_388, 2_524_866, 69], () => [
    [huntedToken(), ring(7), { order: 'fifo' }],
  ]),
  row(a12(3), '4 entries each, FIFO', [703_916, 1_833_008, 64], () => [
    [maekawa(), complete(3), { commands: 4 }],
  ]),
  row(a12(4), 'an entry each, FIFO', [252_342, 950_123, 36], () => [[maekawa(), complete(4), {}]]),
  row(a12(4), 'three of them enter twice, FIFO', [493_270, 1_740_924, 52], () => [
    [maekawa(), complete(4), { commands: 2, initiators: ['b', 'c', 'd'] }],
  ]),
  row(a12(4), 'majorities, an entry each, FIFO', [423_004, 1_754_039, 35], () => [
    [maekawa({ quorums: 'majority' }), complete(4), {}],
  ]),
  row(a12(5), 'majorities, four of them enter, FIFO', [404_385, 1_840_529, 34], () => [
    [maekawa({ quorums: 'majority' }), complete(5), { initiators: ['a', 'b', 'c', 'd'] }],
  ]),
  row(a12(7), 'projective plane, four of them enter, FIFO', [151_073, 695_269, 34], () => [
    [maekawa(), complete(7), { initiators: ['d', 'e', 'f', 'g'] }],
  ]),
  row(
    a12(7),
    'projective plane, five of them enter, FIFO',
    [7_286_588, 41_718_357, 43],
    () => [[maekawa(), complete(7), { initiators: ['c', 'd', 'e', 'f', 'g'] }]],
    { large: true },
  ),
  row(
    `${a3}, acknowledged, 3 nodes`,
    'an entry each, any order, exact time',
    [2_897_211, 15_252_966, 39],
    () => [[ricartAgrawalaAcknowledged(), complete(3), {}]],
  ),
  row(
    `${a3}, acknowledged, 2 nodes`,
    'each may cancel, 2 requests each, any order, exact time',
    [1_309_554, 6_024_656, 26],
    () => [[ricartAgrawalaAcknowledged({ cancel: true }), complete(2), { commands: 2 }]],
  ),
  row(a7, 'each node may cancel, a request each, any order', [779_969, 3_178_013, 36], () =>
    trees(5, raymond({ cancel: true }), {}),
  ),
  row(a12(4), 'two of them may cancel, 2 requests each, FIFO', [282_779, 1_242_254, 38], () => [
    [maekawa({ cancel: true }), complete(4), { commands: 2, initiators: ['b', 'c'] }],
  ]),
  row(
    a13(4),
    'token ring in each cluster, Ricart–Agrawala between, 2 entries each, any order',
    [169_988, 515_317, 54],
    () => [[hierarchical(), complete(4), { commands: 2 }]],
  ),
  row(
    a13(6),
    'coordinators within, Raymond between, two turns, an entry each, any order',
    [91_437, 413_260, 40],
    () => [
      [
        hierarchical({ within: centralCoordinator(), between: raymond(), turns: 2 }),
        complete(6),
        {},
      ],
    ],
  ),
  row(
    a13(4),
    'token ring in each cluster, Ricart–Agrawala between, two turns, 2 entries each, any order',
    [2_017_160, 8_228_146, 58],
    () => [
      [
        hierarchical({ within: tokenRing(), between: ricartAgrawala, turns: 2 }),
        complete(4),
        { commands: 2 },
      ],
    ],
  ),
  row(
    a13(6),
    'coordinators within, Raymond between, two turns, 2 entries each, FIFO',
    [381_843, 1_271_784, 76],
    () => [
      [
        hierarchical({ within: centralCoordinator(), between: raymond(), turns: 2 }),
        complete(6),
        { commands: 2, order: 'fifo' },
      ],
    ],
  ),
  row(
    a13(8),
    'coordinators within, Raymond between, an entry each, any order',
    [220_084, 863_214, 52],
    () => [[hierarchical({ within: centralCoordinator(), between: raymond() }), complete(8), {}]],
  ),
  row(
    a13(6),
    'token ring in each cluster, Ricart–Agrawala between, an entry each, any order',
    [179_421, 597_878, 47],
    () => [[hierarchical({ within: tokenRing(), between: ricartAgrawala }), complete(6), {}]],
  ),
  row(
    'A13 Hierarchical, 5 or 6 nodes',
    'each of 15 algorithms within, each between, an entry for three, any order',
    [758_581, 2_536_213, 36],
    hierarchies,
  ),
  row(
    a14(3),
    'given coordinator, 2 entries each, any order, exact time',
    [368_305, 1_134_535, 148],
    () => [[regeneratedToken({ coordinator: 'a' }), ring(3), { commands: 2 }]],
  ),
  row(
    a14(4),
    'given coordinator, an entry each, any order, exact time',
    [181_940, 545_631, 120],
    () => [[regeneratedToken({ coordinator: 'a' }), ring(4), {}]],
  ),
  row(
    a14(3),
    'given coordinator, 2 entries each, 1 message lost, any order, exact time',
    [1_213_015, 4_256_048, 163],
    () => [[regeneratedToken({ coordinator: 'a' }), ring(3), { commands: 2, losses: 1 }]],
  ),
  row(
    a14(4),
    'given coordinator, an entry each, 2 messages lost, any order, exact time',
    [1_472_080, 5_292_001, 152],
    () => [[regeneratedToken({ coordinator: 'a' }), ring(4), { losses: 2 }]],
  ),
  row(
    a14(4),
    'elected coordinator, an entry each, one message lost, any order, exact time',
    [1_939_881, 7_259_192, 147],
    () => [[regeneratedToken(), ring(4), { losses: 1 }]],
  ),
  row(
    a14(3),
    'elected coordinator, 2 entries each, one message lost, any order, exact time',
    [2_499_487, 8_483_050, 171],
    () => [[regeneratedToken(), ring(3), { commands: 2, losses: 1 }]],
  ),
  row(
    'A15 Interval reservation, 3 nodes',
    'two of them request 3 intervals each, any order',
    [230_253, 578_539, 36],
    () => [
      [
        intervalReservation(),
        complete(3),
        {
          inputs: [
            [9, 11],
            [10, 12],
            [11, 13],
          ].map(interval),
          initiators: ['a', 'b'],
        },
      ],
    ],
  ),
  row(`${b2}, ring of 5`, 'any node may start, any order', [369_882, 1_566_270, 55], () => [
    [collectedIds, complete(5), {}],
  ]),
  row(
    `${b2}, acknowledged, ring of 3`,
    'a and b may start, one crash, FIFO, exact time',
    [638_889, 2_364_432, 54],
    () => [[collectedIdsAcknowledged(), complete(3), { crashes: 1, initiators: ['a', 'b'] }]],
  ),
  row(
    `${b2}, acknowledged, ring of 3`,
    'any node may start, FIFO, exact time',
    [1_056_311, 4_499_187, 40],
    () => [[collectedIdsAcknowledged(), complete(3), {}]],
  ),
  row(
    a14(3),
    'elected coordinator, an entry each, one crash and restart, stays of at most 200 ms, any order, exact time',
    [781_538, 2_976_568, 59],
    () => {
      const protocol = regeneratedToken();
      const time = { ...protocol.channels.time, stays: { critical: [0, 200] } };
      const properties = [
        always(
          'at most one node is in the critical section',
          (system) => system.count('critical') <= 1,
        ),
        increases('fencing tokens grow', (node) =>
          node.tags.has('critical') ? protocol.fence(node) : undefined,
        ),
      ];
      return [[protocol, ring(3), { time, crashes: 1, restarts: 1, properties }]];
    },
  ),
  row(`${a16}, ${labelled(4, 38)}`, 'an entry each, any order', [242_664, 1_011_487, 32], () =>
    allGraphs(4).map((graph) => [diningPhilosophers, graph, {}]),
  ),
  row(`${a16}, ring of 4`, '2 entries each, any order', [156_289, 555_093, 43], () => [
    [diningPhilosophers, topology('edges:a-b,b-c,c-d,a-d'), { commands: 2 }],
  ]),
  row(`${a16}, ring of 6`, 'an entry each, any order', [226_127, 1_176_372, 36], () => [
    [diningPhilosophers, topology('edges:a-b,b-c,c-d,d-e,e-f,a-f'), {}],
  ]),
  row(
    `${a17}, ${labelled(4, 38)}`,
    'each with all neighbours, an entry each, any order',
    [132_379, 342_338, 44],
    () =>
      allGraphs(4).map((graph) => [
        appointments,
        graph,
        { inputs: [{ type: 'acquire', with: 'neighbours' }] },
      ]),
  ),
  row(
    `${a17}, 3 nodes`,
    'each with a, with b and with c in turn, any order',
    [1_322_861, 3_727_896, 36],
    () => [
      [
        appointments,
        complete(3),
        { inputs: ['a', 'b', 'c'].map((id) => ({ type: 'acquire', with: [id] })) },
      ],
    ],
  ),
  row(
    `${b3}, the 24 rings of 5`,
    'any set of initiators, any order',
    [317_518, 1_017_953, 21],
    () => withAnyInitiators(lelannChangRoberts, rings(5)),
  ),
  row(
    `${b3}, the 120 rings of 6`,
    'any node may start, any order',
    [2_428_215, 11_739_532, 28],
    () => rings(6).map((ring) => [lelannChangRoberts, ring, {}]),
  ),
  row(
    `${b3}, ring of 8, ids rising`,
    'any node may start, any order',
    [117_456, 726_640, 24],
    () => [[lelannChangRoberts, rising(8), {}]],
  ),
  row(
    `${b3}, ring of 8, ids falling`,
    'any node may start, any order',
    [6_138_322, 41_869_791, 45],
    () => [[lelannChangRoberts, falling(8), {}]],
  ),
  row(
    `${b3}, ring of 8, ids shuffled`,
    'any node may start, any order',
    [325_706, 2_070_496, 28],
    () => [[lelannChangRoberts, shuffledRing(8, 1), {}]],
  ),
  row(
    `${b5}, the 6 two-way rings of 4`,
    'any set of initiators, FIFO',
    [121_468, 502_328, 32],
    () => twoWayRings(4, franklin),
  ),
  row(
    `${b5}, the 24 two-way rings of 5`,
    'any set of initiators, FIFO',
    [5_982_856, 31_045_384, 40],
    () => twoWayRings(5, franklin),
  ),
  row(
    `${b6}, the 6 two-way rings of 4`,
    'any set of initiators, any order',
    [1_361_682, 6_785_928, 35],
    () => twoWayRings(4, hirschbergSinclair),
  ),
  row(
    `${b6}, the 24 two-way rings of 5`,
    'any set of initiators, FIFO',
    [10_690_938, 49_076_468, 59],
    () =>
      twoWayRings(5, hirschbergSinclair).map(([protocol, ring, budget]) => [
        protocol,
        ring,
        { ...budget, order: 'fifo' },
      ]),
  ),
  row(
    `${b6}, the 24 two-way rings of 5`,
    'any one or two may start, any order',
    [10_463_050, 48_620_848, 57],
    () =>
      twoWayRings(5, hirschbergSinclair).filter(([, , { initiators }]) => initiators.length <= 2),
  ),
  row(
    `${b6}, the 24 two-way rings of 5`,
    'any node may start, any order',
    [59_520_120, 418_886_184, 59],
    () => rings(5, { oneWay: false }).map((ring) => [hirschbergSinclair, ring, {}]),
    { large: true },
  ),
  row(
    `${b10}, tieBreak id, the 16 trees of 4`,
    'any node may start, FIFO',
    [188_968, 827_828, 19],
    () => smallGraphs(4, 3).map((tree) => [firewire({ tieBreak: 'id' }), tree, {}]),
  ),
  row(`${b10}, the 3 trees of 5`, 'any node may start, FIFO', [1_098_099, 5_617_199, 25], () =>
    shapes(5).map((tree) => [firewire(), tree, {}]),
  ),
  row(`${b10}, the 6 trees of 6`, 'a given node starts, FIFO', [160_828, 523_034, 26], () =>
    shapes(6).map((tree) => [firewire(), tree, { initiators: tree.nodes.slice(0, 1) }]),
  ),
  row(
    `${b10}, tieBreak id, the 125 trees of 5`,
    'any node may start, FIFO',
    [17_447_390, 96_826_785, 25],
    () => smallGraphs(5, 4).map((tree) => [firewire({ tieBreak: 'id' }), tree, {}]),
  ),
  row(
    `${b11}, all 38 labelled graphs of 4 nodes`,
    'any node may start, any order',
    [2_596_024, 12_135_185, 28],
    () => allGraphs(4).map((graph) => [adoption, graph, {}]),
  ),
  row(`${b4}, the 24 rings of 5`, 'any node may start, FIFO', [321_168, 1_637_760, 30], () =>
    rings(5).map((ring) => [fullCirculation(), ring, {}]),
  ),
  row(
    'B9 Tree election by waves, the 16 trees of 4',
    'any set of initiators, any order',
    [302_304, 1_234_240, 13],
    () => withAnyInitiators(treeWave, smallGraphs(4, 3)),
  ),
  row(`${b4}, ring of 6, ids rising`, 'any node may start, FIFO', [117_392, 723_792, 42], () => [
    [fullCirculation(), rising(6), {}],
  ]),
  row(
    `${b4}, ring of 7, ids falling`,
    'any node may start, FIFO',
    [1_019_580, 7_350_336, 56],
    () => [[fullCirculation(), falling(7), {}]],
  ),
  row(
    `${b4}, ring of 5, ids rising`,
    'size known, any node may start, any order',
    [223_307, 1_448_605, 30],
    () => [[fullCirculation({ size: true }), rising(5), {}]],
  ),
  row(
    `${b7}, 2 × 2 in any order, four choices of the corners' directions`,
    'any set of nodes starts, FIFO',
    [1_189_002, 6_016_851, 27],
    () => withAnyInitiators(mesh, grids(2, 2, [0, 3, 6, 9])),
  ),
  row(`${b7}, 2 × 3 in any order`, 'any one node starts, FIFO', [1_580_222, 9_414_044, 35], () =>
    grids(2, 3).flatMap((grid) => grid.nodes.map((id) => [mesh, grid, { initiators: [id] }])),
  ),
  row(
    `${b7}, 2 × 3`,
    'a border node starts, FIFO, one message duplicated',
    [651_863, 4_301_078, 37],
    () => [[mesh, grids(2, 3)[0], { initiators: ['m0'], duplications: 1 }]],
    {
      // A border node that has held both copies passes on both at once.
      violated: ['a candidate goes along the border: to one neighbour, and not back'],
    },
  ),
  row(
    `${b7}, 2 × 3 in any order`,
    'any set of nodes starts, FIFO, reduced',
    [871_109, 1_570_148, 40],
    () => anyReduced(mesh, grids(2, 3)),
  ),
  row(
    `${b7}, 3 × 3 in any order`,
    'a corner, a border node or the interior node starts, FIFO, reduced',
    [896_434, 1_938_561, 58],
    () =>
      grids(3, 3).flatMap((grid) =>
        ['a', 'm0', 'm2'].map((id) => [mesh, grid, { initiators: [id], ...reduced(mesh) }]),
      ),
  ),
  row(
    `${b8}, 3 dimensions in 504 orders`,
    'one node starts, any order',
    [594_291, 2_073_516, 32],
    () =>
      cubes(3)
        .filter((_, index) => index % 10 === 0)
        .map((cube) => [hypercubeElection, cube, { initiators: ['a'] }]),
  ),
  row(
    `${b8}, 3 dimensions in 42 orders`,
    'all nodes start, any order, reduced',
    [758_695, 2_447_365, 35],
    () =>
      cubes(3)
        .filter((_, index) => index % 120 === 0)
        .map((cube) => [hypercubeElection, cube, reduced(hypercubeElection)]),
  ),
  row(
    `${b13}, a registry and 3 nodes`,
    'each joins and leaves, FIFO',
    [786_881, 3_747_855, 43],
    () => [[virtualTree(), complete(4), {}]],
  ),
  row(`${b14}, the 24 rings of 5`, 'any set of initiators, FIFO', [587_576, 2_160_592, 35], () =>
    withAnyInitiators(dolevKlaweRodeh, rings(5)),
  ),
  row(`${b14}, the 120 rings of 6`, 'any node may start, FIFO', [2_386_104, 13_074_096, 42], () =>
    rings(6).map((ring) => [dolevKlaweRodeh, ring, {}]),
  ),
  row(`${b14}, ring of 8, ids rising`, 'any node may start, FIFO', [314_680, 2_348_167, 40], () => [
    [dolevKlaweRodeh, rising(8), {}],
  ]),
  row(
    `${b14}, ring of 8, the most phases possible`,
    'any node may start, FIFO',
    [774_247, 5_713_646, 72],
    () => [[dolevKlaweRodeh, ring(['a', 'e', 'b', 'g', 'c', 'f', 'd', 'h']), {}]],
  ),
  row(
    `${b14}, ring of 8, ids shuffled`,
    'any node may start, FIFO',
    [406_892, 3_009_100, 56],
    () => [[dolevKlaweRodeh, shuffledRing(8, 1), {}]],
  ),
  row(
    b1(3),
    'any node may start, a crash and a restart, messages of 50 to 100 ms',
    [772_838, 2_781_527, 49],
    () => [[growing(), complete(3), { crashes: 1, restarts: 1 }]],
  ),
  row(
    b1(3),
    'any node may start, two crashes and a restart, messages of 50 to 100 ms',
    [3_626_165, 15_267_870, 64],
    () => [[bully(), complete(3), { crashes: 2, restarts: 1 }]],
  ),
  row(
    b1(4),
    'any node may start, a crash and a restart, messages of 100 ms',
    [8_589_378, 43_839_403, 68],
    () => [[bully({ timeout: 300 }), complete(4), { crashes: 1, restarts: 1, time: fixed }]],
  ),
  row(
    b1(3),
    'with the detector, the smallest node may start, a crash and a restart, messages of 100 ms',
    [3_801_461, 20_932_198, 80],
    () => [
      [
        bully({ timeout: 300, detector: true }),
        complete(3),
        { crashes: 1, restarts: 1, initiators: ['a'], time: fixed },
      ],
    ],
  ),
  row(
    'C3 Heartbeat, 3 nodes',
    'a crash, messages of 50 to 100 ms',
    [1_115_535, 6_126_609, 40],
    () => [[heartbeat(), complete(3), { crashes: 1 }]],
  ),
  row(c4(3), 'each member multicasts once, messages of 100 ms', [77_024, 376_568, 26], () =>
    relayed({}, 3, {}),
  ),
  row(
    c4(3),
    'one or two messages of one sender, or one of each of two; 2 losses, a crash, messages of 100 ms',
    [2_073_197, 4_488_596, 88],
    () => [
      ...relayed({}, 3, { ...sender, ...faults }),
      ...relayed({}, 3, { ...sender, ...faults, commands: 2 }),
      ...relayed({}, 3, { ...twoSenders, ...faults }),
    ],
  ),
  row(c4(3), 'a message, 2 losses, a crash, messages of 0 to 100 ms', [22_615, 51_304, 57], () =>
    relayed({}, 3, { ...sender, ...faults, time: { kind: 'exact', delay: [0, 100], tick: 100 } }),
  ),
  row(
    c4(3),
    'a message, untimed: a loss, a duplication and a crash; 2 losses and a crash',
    [2_774_503, 22_576_537, 28],
    () => [
      ...relayed({ retransmissions: 1 }, 3, {
        ...sender,
        ...untimed,
        losses: 1,
        duplications: 1,
        crashes: 1,
      }),
      ...relayed({ retransmissions: 2 }, 3, { ...sender, ...untimed, ...faults }),
    ],
  ),
  row(c4(4), 'a message, 2 losses, a crash, messages of 100 ms', [187_383, 675_056, 78], () =>
    relayed({}, 4, { ...sender, ...faults }),
  ),
  row(
    c4(4),
    'a message of each of two senders, messages of 100 ms',
    [1_069_552, 9_554_668, 29],
    () => relayed({}, 4, twoSenders),
  ),
  row(
    `${c4(4)}, relays at silence`,
    'a message of each of two senders, 2 losses, or a loss and a crash, messages of 100 ms',
    [4_796_487, 19_279_183, 125],
    () => [
      [
        acknowledgedMulticast({ relay: 'silence' }),
        complete(4),
        { ...equal, ...twoSenders, losses: 2 },
      ],
      [
        acknowledgedMulticast({ relay: 'silence' }),
        complete(4),
        { ...equal, ...twoSenders, losses: 1, crashes: 1 },
      ],
    ],
  ),
  row(
    c4(2),
    'two messages of each of two senders, a loss, untimed',
    [2_718_372, 20_945_540, 24],
    () => relayed({ retransmissions: 1 }, 2, { ...untimed, commands: 2, losses: 1 }),
  ),
  row(c4b(2), 'two messages each, a loss', [677_289, 2_270_956, 39], () => [
    [negativeMulticast(), complete(2), { ...equal, commands: 2, losses: 1 }],
  ]),
  row(c4b(3), 'one sends, 2 losses, a crash', [51_591, 166_128, 72], () => [
    [negativeMulticast(), complete(3), { ...equal, initiators: ['a'], losses: 2, crashes: 1 }],
  ]),
  row(c4b(3), 'two send, a loss', [572_403, 2_401_832, 43], () => [
    [negativeMulticast(), complete(3), { ...equal, initiators: ['a', 'b'], losses: 1 }],
  ]),
  row(
    c4b(3),
    'one sends, a loss, a crash and a restart, messages of 100 ms',
    [20_820, 35_245, 117],
    () => [
      [
        negativeMulticast(),
        complete(3),
        { ...equal, initiators: ['a'], losses: 1, crashes: 1, restarts: 1, time: fixed },
      ],
    ],
  ),
  row(
    c4b(3),
    'one sends two messages, 2 losses, a crash, messages of 100 ms',
    [225_505, 501_352, 134],
    () => [
      [
        negativeMulticast(),
        complete(3),
        { ...equal, initiators: ['a'], commands: 2, losses: 2, crashes: 1, time: fixed },
      ],
    ],
  ),
  row(c4b(3), 'two send, a loss, a crash, messages of 100 ms', [184_104, 370_426, 150], () => [
    [
      negativeMulticast(),
      complete(3),
      { ...equal, initiators: ['a', 'b'], losses: 1, crashes: 1, time: fixed },
    ],
  ]),
  row(c4b(3), 'two send two messages each, messages of 100 ms', [536_018, 1_303_554, 60], () => [
    [
      negativeMulticast(),
      complete(3),
      { ...equal, initiators: ['a', 'b'], commands: 2, time: fixed },
    ],
  ]),
  row(
    c4b(3),
    'two send, 2 losses, a crash, messages of 100 ms',
    [1_082_572, 2_997_160, 695],
    () => [
      [
        negativeMulticast(),
        complete(3),
        { ...equal, initiators: ['a', 'b'], losses: 2, crashes: 1, time: fixed },
      ],
    ],
  ),
  row(c4b(4), 'one sends, 2 losses, a crash, messages of 100 ms', [150_593, 379_241, 175], () => [
    [
      negativeMulticast(),
      complete(4),
      { ...equal, initiators: ['a'], losses: 2, crashes: 1, time: fixed },
    ],
  ]),
  row(c4b(4), 'two send, a crash, messages of 100 ms', [593_930, 1_776_847, 182], () => [
    [
      negativeMulticast(),
      complete(4),
      { ...equal, initiators: ['a', 'b'], crashes: 1, time: fixed },
    ],
  ]),
  row(c4b(4), 'two send, a loss, messages of 100 ms', [88_534, 276_411, 54], () => [
    [
      negativeMulticast(),
      complete(4),
      { ...equal, initiators: ['a', 'b'], losses: 1, time: fixed },
    ],
  ]),
  row(b16(4, '6 graphs'), 'any node may start, FIFO', [403_779, 1_741_094, 42], () =>
    weighted(allGraphs(4)).map((graph) => [gallagerHumbletSpira, graph, {}]),
  ),
  row(b16(5, '3 trees'), 'any node may start, FIFO', [302_533, 1_468_638, 42], () =>
    weighted(smallGraphs(5, 4)).map((tree) => [gallagerHumbletSpira, tree, {}]),
  ),
  row(b16(5, 'ring'), 'any node may start, FIFO', [254_200, 1_321_041, 48], () =>
    weighted([ring(5, { oneWay: false })]).map((graph) => [gallagerHumbletSpira, graph, {}]),
  ),
  row(`${b15}, ring of 5`, 'two ids, any node may start, FIFO', [169_611, 424_525, 64], () => [
    [itaiRodeh({ ids: 2 }), ring(5), {}],
  ]),
  row(`${b15}, ring of 6`, 'two ids, any node may start, FIFO', [1_989_744, 5_652_978, 92], () => [
    [itaiRodeh({ ids: 2 }), ring(6), {}],
  ]),
  row(`${b15}, ring of 5`, 'three ids, any node may start, FIFO', [838_801, 2_226_505, 64], () => [
    [itaiRodeh({ ids: 3 }), ring(5), {}],
  ]),
  row(b9(5, 9), 'any set of initiators, any order', [2_674_031, 14_148_532, 17], () =>
    withAnyInitiators(treeWave, treesWithLargest(5)),
  ),
  row(b9(6, 20), 'one initiator, any order', [53_481, 151_859, 16], () =>
    treesWithLargest(6).flatMap((tree) =>
      tree.nodes.map((id) => [treeWave, tree, { initiators: [id] }]),
    ),
  ),
  row(b9(6, 20), 'all start, any order', [20_431_549, 153_590_960, 21], () =>
    treesWithLargest(6).map((tree) => [treeWave, tree, {}]),
  ),
  row(b12(4, 'the 31 sparse'), 'any set of initiators, any order', [505_516, 2_332_874, 18], () =>
    withAnyInitiators(extinction(), smallGraphs(4, 4)),
  ),
  row(
    b12(4, 'all 38'),
    'any set of initiators, any order, reduced by the order of independent steps',
    [180_399, 354_297, 26],
    () => anyReduced(extinction(), allGraphs(4)),
  ),
  row(
    b12(4, 'the 31 sparse'),
    'terminating, any set of initiators, any order',
    [2_101_585, 9_819_907, 25],
    () => withAnyInitiators(terminating, smallGraphs(4, 4)),
  ),
  row(
    b12(4, 'the 7 dense'),
    'terminating, any set of initiators, FIFO, reduced by the order of independent steps',
    [2_433_669, 10_922_214, 30],
    () => anyReduced(terminating, dense, { order: 'fifo' }),
  ),
  row(c6('A2 Lamport, 3 nodes'), 'an entry each, FIFO', [547_323, 1_443_968, 24], () => [
    [causalFairness(), complete(3), {}],
  ]),
  row(
    c6('A1 Central coordinator, 4 clients'),
    '2 entries each, any order',
    [1_332_165, 2_524_780, 40],
    () => [[causalFairness({ lock: centralCoordinator() }), star(5), { commands: 2 }]],
  ),
  row(c6('A10 Hunted token, ring of 4'), '2 entries each, FIFO', [189_907, 422_510, 51], () => [
    [causalFairness({ lock: huntedToken() }), ring(4), { commands: 2, order: 'fifo' }],
  ]),
  row(
    c6('A3c Ricart–Agrawala by echo waves, triangle'),
    '2 entries each, FIFO',
    [1_060_207, 2_999_384, 48],
    () => [
      [causalFairness({ lock: protocolOf('A3c') }), complete(3), { commands: 2, order: 'fifo' }],
    ],
  ),
  row(
    c6('A8 Naimi–Trehel, 4 nodes'),
    '2 entries each, FIFO',
    [127_600, 268_283, 37],
    () => [
      [causalFairness({ lock: protocolOf('A8') }), complete(4), { commands: 2, order: 'fifo' }],
    ],
    { violated: ['entries are in the order in which the requests happened before each other'] },
  ),
  row(`${c1}, 2 nodes`, 'each sends and acts twice, any order', [55_724, 100_666, 12], () => [
    [logicalClock({ clock: 'vector' }), chain(2), { commands: 2 }],
  ]),
  row(
    `${c1}, 3 nodes`,
    'Lamport clocks, each sends and acts, any order',
    [71_429, 171_828, 12],
    () => [[logicalClock(), complete(3), {}]],
  ),
  row(
    `${c1}, 3 nodes`,
    'vector clocks, each sends and acts, any order',
    [71_429, 171_828, 12],
    () => [[logicalClock({ clock: 'vector' }), complete(3), {}]],
  ),
  row(
    `${c1}, chain of 3`,
    'vector clocks, each sends and acts, a loss and a duplication, any order',
    [83_294, 258_098, 12],
    () => [[logicalClock({ clock: 'vector' }), chain(3), { losses: 1, duplications: 1 }]],
  ),
  row(`${c1}, 4 nodes`, 'vector clocks, each sends, any order', [2_111_705, 6_856_716, 16], () => [
    [logicalClock({ clock: 'vector' }), complete(4), { inputs: [{ type: 'send' }] }],
  ]),
  row(c2, 'the first node starts, any order', [3_351_257, 15_216_644, 21], () =>
    allGraphs(5).map((graph) => [echo(), graph, {}]),
  ),
  row(
    `${c5}, 3 nodes`,
    '2 members, one node joins, each multicasts, a crash that loses messages, FIFO',
    [139_610, 394_011, 27],
    () => [[membership({ founders: 2 }), complete(3), { ...losing, inputs: [joining, speaking] }]],
  ),
  row(
    `${c5}, 3 nodes`,
    "order 'fifo', 2 members, one node joins, each multicasts, a crash that loses messages, FIFO",
    [261_525, 725_098, 25],
    () => [
      [
        membership({ order: 'fifo', founders: 2 }),
        complete(3),
        { ...losing, inputs: [joining, speaking] },
      ],
    ],
  ),
  row(
    `${c5}, 4 members`,
    'one multicasts, two crashes that lose messages, FIFO',
    [233_381, 924_353, 27],
    () => [
      [membership(), complete(4), { ...losing, crashes: 2, inputs: [speaking], initiators: ['c'] }],
    ],
  ),
  row(
    `${c5}, 3 nodes`,
    'one member, two nodes join, a crash that loses messages and a restart, FIFO',
    [161_853, 515_645, 31],
    () => [
      [
        membership({ founders: 1 }),
        complete(3),
        { ...losing, restarts: 1, inputs: [joining, speaking], initiators: ['b', 'c'] },
      ],
    ],
  ),
  row(
    `${c5}, 3 nodes`,
    '2 members, any node joins and leaves, a crash that loses messages, FIFO',
    [2_198_319, 6_532_422, 60],
    () => {
      const protocol = membership({ founders: 2 });
      // of messages
      const properties = protocol.properties.filter(({ kind }) => kind !== 'sometimes');
      return [[protocol, complete(3), { ...losing, inputs: [joining, leaving], properties }]];
    },
  ),
  row(
    'A3b Ricart–Agrawala on a ring, ring of 4',
    '3 nodes 2 entries each',
    [196_000, 363_336, 36],
    () => [[ricartAgrawalaRing, ring(4), { commands: 2, initiators: ['a', 'b', 'c'] }]],
  ),
  row(
    'A3c Ricart–Agrawala by echo waves, the 31 sparse graphs of 4',
    '2 nodes an entry each',
    [179_626, 628_541, 20],
    () => smallGraphs(4, 4).map((graph) => [ricartAgrawalaEcho, graph, { initiators: ['a', 'c'] }]),
  ),
  row(
    'A3c Ricart–Agrawala by echo waves, all 38 graphs of 4',
    '2 nodes an entry each',
    [16_196_068, 100_325_624, 28],
    () => allGraphs(4).map((graph) => [ricartAgrawalaEcho, graph, { initiators: ['a', 'c'] }]),
    { large: true },
  ),
  row(
    'C4c Causally ordered multicast of equal data, 4 members',
    '2 senders of 2 multicasts',
    [69_325, 316_020, 16],
    () => [[causalMulticast(), complete(4), { ...equal, initiators: ['a', 'b'], commands: 2 }]],
  ),
  row(
    'C4c Causally ordered multicast of equal data, 4 members',
    '3 senders, one member may crash',
    [99_656, 336_783, 13],
    () => [[causalMulticast(), complete(4), { ...equal, initiators: ['a', 'b', 'c'], crashes: 1 }]],
    {
      violated: [
        'what a live member has multicast, all live members deliver eventually',
        'what a live member has delivered, all live members deliver eventually',
        'no node waits in a quiescent state',
      ],
    },
  ),
  row(
    'C4t Totally ordered multicast of equal data, 3 members',
    'sequencer elected, 2 senders of 2 multicasts',
    [56_340, 229_969, 24],
    () => [[totalMulticast(), complete(3), { ...equal, initiators: ['a', 'b'], commands: 2 }]],
  ),
  row(
    'C4t Totally ordered multicast of equal data, 4 members',
    'sequencer elected, 2 senders',
    [1_202, 4_558, 21],
    () => [[totalMulticast(), complete(4), { ...equal, initiators: ['a', 'b'] }]],
  ),
  row(
    'C4t Totally ordered multicast of equal data, 4 members',
    'sequencer given, 2 senders of 2 multicasts',
    [342_233, 1_649_098, 20],
    () => [
      [
        totalMulticast({ sequencer: 'a' }),
        complete(4),
        { ...equal, initiators: ['b', 'c'], commands: 2 },
      ],
    ],
  ),
  row(
    'A19 Leased votes of a majority, 3 nodes',
    'two nodes an entry each, a crash and a restart, messages of 1 s',
    [18_175_518, 97_501_977, 56],
    () => [
      [leased, complete(3), { initiators: ['a', 'b'], crashes: 1, restarts: 1, time: leasedTime }],
    ],
  ),
  row(
    'A19 Leased votes of a majority, 3 nodes',
    'two nodes an entry each, a loss, messages of 1 s',
    [5_906_827, 36_039_503, 47],
    () => [[leased, complete(3), { initiators: ['a', 'b'], losses: 1, time: leasedTime }]],
  ),
  row(
    'A18 Lock over a group, 3 nodes',
    'two nodes an entry each, two crashes, FIFO',
    [342_420, 903_261, 25],
    () => [
      [groupLock(), complete(3), { initiators: ['a', 'b'], crashes: 2 }],
      [groupLock(), complete(3), { initiators: ['b', 'c'], crashes: 2 }],
    ],
  ),
  row(
    'A18 Lock over a group, 3 nodes',
    'an entry each, a crash, FIFO',
    [165_872, 414_576, 28],
    () => [[groupLock(), complete(3), { crashes: 1 }]],
  ),
  row(
    'A18 Lock over a group, 4 nodes',
    'two nodes an entry each, a crash, FIFO',
    [176_252, 604_672, 28],
    () => [[groupLock(), complete(4), { initiators: ['a', 'd'], crashes: 1 }]],
  ),
  row('B17 Election over a group, 4 nodes', 'three crashes, FIFO', [720_947, 3_030_525, 26], () => [
    [viewLeader(), complete(4), { commands: 0, crashes: 3 }],
  ]),
  row(
    'Reference model, 4 nodes',
    'an entry each, FIFO',
    [127_708_821, 360_235_928, 32],
    () => [reference(4, 1)],
    { large: true },
  ),
];
