import { readFileSync } from 'node:fs';
import { explore } from '@conclave/check';
import { shortestPaths } from '@conclave/core/internal';
import { atMost, send } from '@conclave/core/protocol';
import { closedLoop, poisson, simulate } from '@conclave/core/simulation';
import { chain, star, type Topology, topology, tree } from '@conclave/core/topology';
import { linesText } from '@conclave/core/trace';
import { proof } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { assertEvent, assign, enqueueActions, stateIn } from 'xstate';
import { costOf, expectBounds } from '../../../contract/cost.contract.js';
import { failing, propertyNamed } from '../../../contract/findings.contract.js';
import { withMachine, withoutSteps } from '../../../contract/machines.contract.js';
import { labelledTrees, randomTree } from '../../../contract/networks.contract.js';
import { mutualExclusionContract } from '../../mutual-exclusion.contract.js';
import { greedyContract } from '../building-blocks/greedy.contract.js';
import {
  pairs,
  searchMutants,
  searchTokenContract,
  searchTwice,
} from '../building-blocks/search-token.contract.js';
import { isOpen, waitingAmong, withEntry } from '../building-blocks/token.js';
import { treeToken } from './protocol.js';
import { machine } from './tree-token.js';

const plain = treeToken();
const page = () => readFileSync(new URL('./README.md', import.meta.url), 'utf8');
const trees = [chain(2), chain(3), star(4), tree(2, 6)];
/** The trees of 5 nodes with the token, which the first node has, at each place. */
const fives = [
  'a-b,b-c,c-d,d-e',
  'b-a,a-c,c-d,d-e',
  'c-b,b-a,a-d,d-e',
  'a-b,a-c,a-d,a-e',
  'b-a,b-c,b-d,b-e',
]
  .concat('a-b,b-c,c-d,c-e', 'a-b,b-c,b-d,d-e', 'a-b,a-c,a-d,d-e', 'b-a,a-c,c-d,c-e')
  .map((edges) => topology(`edges:a,b,c,d,e,${edges}`));

/** Each node on the path chooses a new destination of the token, like a node that leaves. */
const anew = machine.provide({
  actions: {
    passToken: enqueueActions(({ context: { peers, requested, nextHop, token }, enqueue }) => {
      const [to = ''] = waitingAmong(peers, requested, token?.served ?? {});
      const next = nextHop[to];
      if (next === undefined || !token) return;
      enqueue.emit(send(next, { type: 'token', ...token, to }));
      enqueue.assign({ token: null });
    }),
  },
});

mutualExclusionContract({
  protocol: plain,
  topologies: trees,
  small: [
    { topology: chain(2), budget: { commands: 2 } },
    { topology: chain(3), budget: { commands: 1 } },
  ],
  explored: [
    [chain(2), { commands: 3 }, 285],
    ['all trees of 3 nodes, an entry each', labelledTrees(3), { commands: 1 }, 1_472],
    ['all trees of 3 nodes, 2 entries each', labelledTrees(3), { commands: 2 }, 61_674],
    [
      'all trees of 4 nodes, an entry each for all but the first',
      labelledTrees(4),
      { commands: 1, initiators: ['b', 'c', 'd'] },
      36_374,
    ],
    [
      'trees of 5 nodes, the token anywhere, an entry for any two',
      fives.flatMap((topology) =>
        pairs(topology.nodes).map((initiators) => ({
          topology,
          budget: { commands: 1, initiators },
        })),
      ),
      {},
      34_346,
    ],
  ],
  costs: [chain(3), star(5), tree(2, 15), tree(3, 13)],
  mutants: searchMutants(plain, (changed) => machine.provide(changed), {
    mute: machine.provide({ actions: { forward: assign({}) } }),
    echoes: false,
  }),
});

searchTokenContract({
  make: treeToken,
  machine,
  twice: machine.provide(searchTwice),
  echoes: false,
  states: 465,
  faulty: { losses: 1_205, crashes: 3_547 },
  page,
});

describe('tree-token destination', () => {
  /**
   * d – a – c – b: in cyclic order b follows a, and d follows c, each on the other side of the
   * tree.
   */
  const crossing = topology('edges:a,b,c,d,d-a,a-c,c-b');

  proof(
    'if each node on the path chose a new destination, the token could move between two waiting nodes forever',
    () => {
      const entersIn = (tree: Topology) =>
        propertyNamed(
          explore(withMachine(plain, anew), tree, { commands: 1, initiators: ['b', 'c', 'd'] })
            .properties,
          'every node that wants to enter eventually enters',
        );
      const enters = entersIn(crossing);
      expect(enters).toMatchObject({ verdict: 'violated' });
      expect(page()).toContain(linesText(enters?.trace?.lines.slice(-2) ?? []));
      expect(
        labelledTrees(4).filter((tree) => entersIn(tree)?.verdict === 'violated'),
      ).toHaveLength(1);
    },
  );

  it('a node that enters on the path does not change the destination, so no node is skipped again and again', () => {
    const forgetful = machine.provide({
      actions: {
        countEntry: assign(({ context }) => {
          const { token } = withEntry(context);
          return { token: token && { ...token, to: context.self } };
        }),
      },
    });
    const worst = (changed: typeof machine) => {
      const { exclusion } = simulate({
        protocol: withMachine(plain, changed),
        topology: topology('edges:a,b,c,a-b,a-c'),
        workload: closedLoop({ entries: 20, think: { kind: 'fixed', ms: 0 } }),
      });
      const passedBy = exclusion.entries.map(
        ({ requestedAt, enteredAt }) =>
          exclusion.entries.filter(
            (other) => other.enteredAt > requestedAt && other.enteredAt < enteredAt,
          ).length,
      );
      return Math.max(...passedBy);
    };
    expect(worst(machine)).toBe(3);
    expect(worst(forgetful)).toBe(39); // c waits until the others make no more requests
  });

  proof(
    'an idle holder need not forward a search: the token is already in transit to the initiator',
    () => {
      const sparing = machine.provide({
        actions: {
          forward: enqueueActions(({ context, event, enqueue, check }) => {
            assertEvent(event, 'search');
            const { initiator, k, from } = event;
            if (check(stateIn({ released: 'here' })) && isOpen(context.token, initiator, k)) return;
            for (const id of context.neighbours)
              if (id !== from) enqueue.emit(send(id, { type: 'search', initiator, k }));
          }),
        },
      });
      for (const [tree, commands, states] of [
        [chain(3), 2, 27_619],
        [star(4), 1, 15_526],
        [chain(4), 1, 25_662],
      ] as const) {
        const found = explore(withoutSteps(withMachine(plain, sparing)), tree, { commands });
        expect(found).toMatchObject({ complete: true, states });
        expect(failing(found)).toEqual([]);
      }
    },
  );
});

const protocol = treeToken();

describe('tree-token cost', () => {
  proof.each([
    [chain(2), { commands: 2 }, 1],
    [chain(3), { commands: 2 }, 2],
    [star(4), { commands: 1, initiators: ['b', 'c', 'd'] }, 2],
  ] as const)(
    'in every interleaving: at most n−1 searches per entry, and as many tokens as the longest path has edges: $spec',
    (topology, budget, longest) => {
      const n = topology.nodes.length;
      const searches = atMost(n - 1, { per: 'acquire', of: ['search'] });
      const fewer = atMost(n - 2, { per: 'acquire', of: ['search'] });
      const all = atMost(2 * (n - 1), { per: 'acquire' });
      const tokens = atMost(longest, { per: 'acquire', of: ['token'] });
      expectBounds(protocol, topology, budget, [searches, tokens, all], [fewer]);
      expect(costOf(protocol, n)).toEqual(all);
    },
  );

  const loads = [
    ['heavy', closedLoop({ entries: 5, think: { kind: 'fixed', ms: 0 } })],
    ['light', poisson({ mean: 10_000, entries: 5 })],
  ] as const;

  proof.each(loads)(
    '%s load: exactly n−1 searches where the token is elsewhere, none where it is, and a token for each edge between entries',
    (_load, workload) => {
      for (let n = 2; n <= 20; n += 3) {
        const topology = randomTree(n, n);
        const run = (order: 'fifo' | 'any') =>
          simulate({
            protocol,
            topology,
            workload,
            conditions: { order, delay: { kind: 'uniform', least: 1, most: 30 } },
          });
        const { messages, exclusion } = run('fifo');
        const waited = exclusion.entries.filter(
          ({ requestedAt, enteredAt }) => enteredAt > requestedAt,
        ).length;
        expect(exclusion.entries).toHaveLength(5 * n);
        expect(messages.search).toBe((n - 1) * waited);
        const places = [
          ...topology.nodes.slice(0, 1),
          ...exclusion.entries.map(({ node }) => node),
        ];
        const distances = places
          .slice(1)
          .map((to, place) => shortestPaths(topology, places[place] ?? to).get(to)?.distance ?? 0);
        expect(messages.token).toBe(distances.reduce((sum, distance) => sum + distance, 0));
        const overtaking = run('any');
        const waitedThen = overtaking.exclusion.entries.filter(
          ({ requestedAt, enteredAt }) => enteredAt > requestedAt,
        ).length;
        expect(overtaking.messages.search).toBeLessThanOrEqual((n - 1) * waitedThen);
      }
    },
  );
});

greedyContract({
  make: treeToken,
  topology: chain,
  states: [
    [2, { commands: 2 }, 103],
    [3, { commands: 2 }, 23_191],
  ],
});
