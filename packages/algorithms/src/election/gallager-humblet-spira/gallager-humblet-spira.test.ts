import { randomGraph } from '@conclave/core/internal/topology';
import { send } from '@conclave/core/protocol';
import { chain, complete, type Topology, topology } from '@conclave/core/topology';
import { assertEvent, assign, emit, enqueueActions } from 'xstate';
import { mutantOf } from '../../contract/mutant.js';
import { electionContract } from '../election.contract.js';
import { machine } from './gallager-humblet-spira.js';
import { leaderOf } from './minimum-spanning-tree.contract.js';
import { gallagerHumbletSpira } from './protocol.js';
import { weightedGraphs } from './weighted-graphs.contract.js';

const mutant = mutantOf(gallagerHumbletSpira);

/** Each node may start, so these are all sets of initiators. */
const anyInitiators = (graphs: readonly Topology[]) =>
  graphs.map((topology) => ({ topology, budget: {} }));

const graphsOf4 = weightedGraphs(4, 4);

/** Two fragments of level 1 combine over b-c. */
const pairs = topology('edges:a-b:1,b-c:3,c-d:2');
/** c is the third node of a fragment of level 1. */
const row = topology('edges:a-b:1,b-c:2,c-d:4,d-e:3');

const messages = Object.keys(gallagerHumbletSpira.messages);
const pairsOf = (states: readonly string[], types: readonly string[]) =>
  states.flatMap((state) => types.map((type) => `${state}: ${type}`));

/** What a network of several nodes does not use, and what this one does not use in addition. */
const unused = (missed: readonly string[], undelivered: readonly string[]) => ({
  missed: ['sleeping: elect [isAlone] → leader', ...missed],
  neverTrue: ['sleeping: elect [isAlone] → leader'],
  undelivered: [
    // A sleeping node has sent nothing that is answered.
    ...pairsOf(['sleeping'], ['initiate', 'accept', 'reject', 'report', 'change-root', 'elected']),
    // A node leaves this state in the step in which it enters it.
    ...pairsOf(['fragment.find.probing'], messages),
    // A node that searches has not reported yet, so the core does not decide anything.
    ...pairsOf(
      ['fragment.find.testing', 'fragment.find.collecting'],
      ['initiate', 'change-root', 'elected'],
    ),
    // It tests no edge.
    ...pairsOf(['fragment.find.collecting', 'fragment.found'], ['accept', 'reject']),
    // The tree is complete, all other edges are rejected, and each node is told once.
    ...pairsOf(['leader', 'follower'], messages),
    ...undelivered,
  ],
});

electionContract({
  protocol: gallagerHumbletSpira,
  topologies: [
    topology('edges:a-b:1,b-c:2,c-d:4,d-e:3,e-a:5'),
    topology('edges:a-b:1,a-c:2,b-c:3'),
    pairs,
    chain(2),
    topology('edges:b-c:1,a-b:2'),
  ],
  small: [
    { topology: chain(3), budget: { initiators: ['a', 'c'] } },
    { topology: pairs, budget: { initiators: ['a'] } },
  ],
  explored: [
    ['the graph of 2 nodes, any set of initiators', anyInitiators(weightedGraphs(2)), 29],
    ['chain and triangle, any set of initiators', anyInitiators(weightedGraphs(3)), 560],
    ['a chain of 5 nodes, any set of initiators', anyInitiators([row]), 15_108],
    [
      'the 19 graphs of 4 nodes with at most 4 edges, in each order of the weights, any set of initiators',
      anyInitiators(graphsOf4),
      47_653,
    ],
  ],
  covered: [
    {
      topology: topology('edges:a-b:1,c-d:2,b-c:3,b-e:4,a-e:5'),
      budget: {},
      states: 23_267,
      transitions: 119_977,
      depth: 40,
      ...unused(
        ['fragment.found: change-root'],
        ['fragment.find.collecting: test', 'fragment.found: change-root'],
      ),
    },
    {
      topology: topology('edges:a-b:1,b-c:2,c-d:4,d-e:3,a-e:5'),
      budget: { initiators: ['a', 'c', 'e'] },
      states: 5_667,
      transitions: 23_312,
      depth: 46,
      // No node has two outgoing edges when another fragment connects to it.
      ...unused(
        [
          'fragment.find: connect',
          'fragment.found: connect [fromLowerLevel]',
          'fragment.found: initiate',
          'leader: elect',
        ],
        ['fragment.find.collecting: connect', 'fragment.find.collecting: test'],
      ),
      neverTrue: ['fragment.found: connect [fromLowerLevel]', 'sleeping: elect [isAlone] → leader'],
      neverFalse: [
        'fragment.find: connect [fromLowerLevel]',
        'fragment.found: initiate [toFind] → fragment.find',
      ],
    },
  ],
  costs: [chain(2), ...graphsOf4, complete(8), randomGraph(16, 0.2, 1), randomGraph(32, 0.1, 2)],
  winner: leaderOf,
  mutants: {
    'a node combines with a fragment of the same level that has not chosen the same edge': mutant(
      "edges:a,b,c,a-b:1,a-c:2, 6 steps: Node a in 'follower' does not handle 'connect' (from b)",
      machine.provide({ guards: { overBranch: () => true } }),
    ),
    'a node answers a fragment of a higher level': mutant(
      'edges:a,b,c,a-b:1,a-c:2, 15 steps: no node waits in a quiescent state',
      machine.provide({ guards: { fromHigherLevel: () => false } }),
    ),
    'a fragment that combines keeps its level': mutant(
      'edges:a,b,c,a-b:1,a-c:2,b-c:3, 22 steps: every branch is an edge of the minimum spanning tree, and no rejected edge is',
      machine.provide({
        actions: {
          merge: emit(({ context, event }) => {
            assertEvent(event, 'connect');
            return send(event.from, {
              type: 'initiate',
              level: context.level,
              fragment: context.weights[event.from] ?? 0,
              state: 'find',
            });
          }),
        },
      }),
    ),
    'a report of the other side of the core is not deferred': mutant(
      'edges:a,b,c,a-b:1,a-c:2, 13 steps: no node waits in a quiescent state',
      machine.provide({ guards: { overInBranch: () => false } }),
    ),
    'a node ignores what its branches report': mutant(
      'edges:a-b:1,b-c:2,c-d:4,d-e:3, 17 steps: when there is a leader, the branches are the minimum spanning tree',
      machine.provide({ actions: { noteReport: assign({}) } }),
    ),
    'the end of the core with the smaller id leads': mutant(
      'edges:a,b,a-b:1, 6 steps: a node that is the leader knows itself as the leader',
      machine.provide({
        guards: {
          fromSmallerId: ({ context, event }) => {
            assertEvent(event, 'report');
            return event.from > context.self;
          },
        },
      }),
    ),
    'an edge that is tested from both ends is rejected only once': mutant(
      'edges:a,b,c,a-b:1,a-c:2,b-c:3, 9 steps: a node that tests an edge sends no reject over it',
      machine.provide({ guards: { overTestEdge: () => false } }),
    ),
    'the change of root is not passed on': mutant(
      'edges:a-b:1,b-c:2,c-d:4,d-e:3, 27 steps: no node waits in a quiescent state',
      machine.provide({
        actions: {
          changeRoot: enqueueActions(({ context: { best, edges, level }, enqueue }) => {
            if (best === null || edges[best.edge] === 'branch') return;
            enqueue.emit(send(best.edge, { type: 'connect', level }));
            enqueue.assign({ edges: { ...edges, [best.edge]: 'branch' } });
          }),
        },
      }),
    ),
  },
});
