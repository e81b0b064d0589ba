import { readFileSync } from 'node:fs';
import { explore } from '@conclave/check';
import { step } from '@conclave/core/internal';
import { atMost, leadsTo, type NodeView, type Protocol, send } from '@conclave/core/protocol';
import { closedLoop, poisson, simulate } from '@conclave/core/simulation';
import { chain, complete, ring, type Topology, topology } from '@conclave/core/topology';
import { proof } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { assertEvent, assign, enqueueActions } from 'xstate';
import { allGraphs } from '../../../checks/networks.js';
import { costOf, expectBounds } from '../../../contract/cost.contract.js';
import { failing } from '../../../contract/findings.contract.js';
import { ofWholes, withMachine, withoutSteps } from '../../../contract/machines.contract.js';
import {
  connectedGraphs,
  labelledTrees,
  randomGraph,
} from '../../../contract/networks.contract.js';
import { mutualExclusionContract } from '../../mutual-exclusion.contract.js';
import { greedyContract } from '../building-blocks/greedy.contract.js';
import {
  acquire,
  nextHopsLeadThere,
  nodeM,
  none,
  pairs,
  search,
  searchMutants,
  searchTokenContract,
  searchTwice,
} from '../building-blocks/search-token.contract.js';
import { type Event, type Knowledge, knowledgeOf } from '../building-blocks/search-token.js';
import { countOf } from '../building-blocks/token.js';
import { machine as flood } from '../tree-token/tree-token.js';
import { machine } from './echo-token.js';
import { echoToken } from './protocol.js';

const plain = echoToken();
const page = () => readFileSync(new URL('./README.md', import.meta.url), 'utf8');
const triangle = complete(3);

const mutant = (changed: typeof machine) => withMachine(withoutSteps(plain), changed);
const noAction = assign<Knowledge, Event, undefined, Event, never>({});
/**
 * The next hop is the last neighbour that told of the request, not the first; and no wave returns.
 */
const lastHop = machine.provide({
  actions: {
    answer: noAction,
    awaitOthers: noAction,
    crossOff: assign(({ context: { self, nextHop }, event }) => {
      assertEvent(event, ['search', 'echo']);
      return event.initiator === self
        ? {}
        : { nextHop: { ...nextHop, [event.initiator]: event.from } };
    }),
  },
  guards: {
    isLastReply: () => false,
    isPending: ({ context, event }) => {
      assertEvent(event, ['search', 'echo']);
      return event.k === countOf(context.requested, event.initiator);
    },
  },
});
/** A node replies when it receives a request for the first time, and not later. */
const early = machine.provide({
  actions: {
    forward: enqueueActions(({ context, event, enqueue }) => {
      assertEvent(event, 'search');
      const { initiator, k, from } = event;
      for (const id of context.neighbours)
        if (id !== from) enqueue.emit(send(id, { type: 'search', initiator, k }));
      enqueue.emit(send(from, { type: 'echo', initiator, k }));
    }),
  },
  guards: { isLastReply: () => false },
});
/** Each search and each echo is sent twice. */
const twice = machine.provide(searchTwice).provide({
  actions: {
    answer: enqueueActions(({ context, event, enqueue }) => {
      assertEvent(event, ['search', 'echo']);
      const { initiator, k, from } = event;
      for (const id of Array(2).fill(context.nextHop[initiator] ?? from))
        enqueue.emit(send(id, { type: 'echo', initiator, k }));
    }),
  },
});

mutualExclusionContract({
  protocol: plain,
  topologies: [chain(2), chain(3), triangle, ring(4, { oneWay: false })],
  small: [
    { topology: chain(2), budget: { commands: 1 } },
    { topology: triangle, budget: { commands: 1, initiators: ['b'] } },
  ],
  explored: [
    [chain(2), { commands: 3 }, 3_274],
    ['all chains of 3 nodes, an entry each', labelledTrees(3), { commands: 1 }, 12_248],
    [
      'triangle, an entry for any two',
      pairs(triangle.nodes).map((initiators) => ({
        topology: triangle,
        budget: { commands: 1, initiators },
      })),
      {},
      17_011,
    ],
    [
      'all connected graphs of 4 nodes, an entry for any one',
      allGraphs(4).flatMap((topology) =>
        topology.nodes.map((id) => ({ topology, budget: { commands: 1, initiators: [id] } })),
      ),
      {},
      47_154,
    ],
    [
      '4 nodes and up to 4 edges, an entry for two',
      connectedGraphs(4).slice(0, 4),
      { commands: 1, initiators: ['c', 'd'] },
      54_744,
    ],
    [triangle, { commands: 1, order: 'fifo' }, 228_702],
  ],
  costs: [chain(3), complete(5), topology('grid:3x3')],
  mutants: {
    ...searchMutants(plain, (changed) => machine.provide(changed), {
      mute: machine.provide({ actions: { forward: noAction, answer: noAction } }),
      echoes: true,
    }),
    'the next hop is the last neighbour that told of a request': {
      refuted: 'complete:3, 9 steps: every node that wants to enter eventually enters',
      protocol: mutant(lastHop),
    },
    'a node replies when it first receives a request': {
      refuted:
        'edges:a,b,c,a-b,a-c, 3 steps: all nodes know the request of a waiting node whose wave has returned',
      protocol: mutant(early),
    },
  },
});

searchTokenContract({
  make: echoToken,
  machine,
  twice,
  echoes: true,
  states: 4_038,
  faulty: { losses: 14_659, crashes: 49_887 },
  page,
});

describe('echo-token rules', () => {
  const { first, after } = nodeM(machine, true);
  const answer = (to: string, initiator = 'z', k = 1) => send(to, { type: 'echo', initiator, k });
  const echoed = (from: string, k: number, initiator = 'z'): Event => ({
    type: 'echo',
    initiator,
    k,
    from,
  });

  it('[EC1] a node that has a search or echo from each neighbour replies to the neighbour that told it first', () => {
    const told = after(first(null), search('y', 'z', 1));
    for (const last of [search('x', 'z', 1), echoed('x', 1)]) {
      const { state, effects } = after(told.state, last);
      expect(effects).toEqual([answer('y')]);
      expect(state.context.pendingReplies).toEqual(none);
    }
  });

  it('[EC1] a leaf replies at once', () => {
    const leaf = step(
      machine,
      'm',
      { ...first(null), context: { ...first(null).context, neighbours: ['y'] } },
      search('y', 'z', 1),
    );
    expect(leaf.effects).toEqual([answer('y')]);
  });

  it('[EC2] a wave has returned when the initiator has a search or echo from each neighbour', () => {
    const { state, effects } = after(
      first(null),
      acquire,
      search('x', 'm', 1),
      echoed('y', 1, 'm'),
    );
    expect(effects).toEqual([]);
    expect(state).toMatchObject({ value: 'wanted', context: { pendingReplies: none } });
  });

  it('[EC3] a message of an earlier wave changes nothing', () => {
    const told = after(first(null), search('y', 'z', 2)).state;
    for (const late of [search('x', 'z', 1), echoed('x', 1)]) {
      const { state, effects } = after(told, late);
      expect(effects).toEqual([]);
      expect(state).toEqual(told);
    }
  });

  proof('every wave returns, in every interleaving', () => {
    const outstanding = (node: NodeView) =>
      countOf(knowledgeOf(node).pendingReplies ?? {}, node.id);
    const returns = leadsTo(
      'every wave returns',
      (node) => outstanding(node) > 0,
      (node) => outstanding(node) === 0,
    );
    for (const topology of [chain(3), ring(4, { oneWay: false }), triangle]) {
      const found = explore(plain, topology, {
        commands: 1,
        initiators: topology.nodes.slice(-2),
        properties: [returns],
      });
      expect(found).toMatchObject({
        complete: true,
        properties: [{ verdict: 'holds' }, {}, {}, {}],
      });
    }
  });

  proof(
    'from each node that knows a request, the next hops lead to its initiator, in networks with cycles too',
    () => {
      for (const [topology, commands] of [
        [triangle, 2],
        [ring(4, { oneWay: false }), 1],
      ] as const) {
        const found = explore(plain, topology, {
          commands,
          initiators: topology.nodes.slice(-2),
          order: 'fifo',
          properties: [nextHopsLeadThere],
        });
        expect(found).toMatchObject({
          complete: true,
          properties: [{ verdict: 'holds' }, {}, {}, {}],
        });
      }
      expect(
        explore(mutant(lastHop), triangle, { properties: [nextHopsLeadThere] }).properties[0],
      ).toMatchObject({ verdict: 'violated' });
    },
  );

  proof('without echoes each waiting node gets the token, too', () => {
    const flooded = { ...plain, properties: ofWholes(plain.properties).slice(0, -1) };
    for (const [topology, states] of [
      [triangle, 76_536],
      [chain(3), 465],
    ] as const) {
      const found = explore(withMachine(flooded, flood), topology, { commands: 1 });
      expect(found).toMatchObject({ complete: true, states });
      expect(failing(found)).toEqual([]);
    }
  });

  proof('the first next hop to a node stays as good as that of its latest request', () => {
    const keeping = machine.provide({
      actions: {
        note: assign(({ context: { requested, nextHop }, event }) => {
          assertEvent(event, 'search');
          const { initiator, k, from } = event;
          return {
            requested: { ...requested, [initiator]: k },
            nextHop: { [initiator]: from, ...nextHop },
          };
        }),
      },
    });
    const found = explore(mutant(keeping), triangle, {
      commands: 2,
      initiators: ['b', 'c'],
      order: 'fifo',
    });
    expect(found).toMatchObject({ complete: true });
    expect(failing(found)).toEqual([]);
  });
});

const protocol: Protocol = echoToken();
const flooded: Protocol = {
  ...withMachine(protocol, flood),
  properties: ofWholes(protocol.properties).slice(0, -1),
};
const edges = ({ links }: Topology) => links.length / 2;

describe('echo-token cost', () => {
  it.each([
    [chain(2), { commands: 2 }],
    [chain(3), { commands: 1 }],
    [complete(3), { commands: 1, initiators: ['b', 'c'] }],
  ] as const)(
    'in every interleaving: at most 2e messages per search, and n−1 for the path of the token: $spec',
    (topology, budget) => {
      const n = topology.nodes.length;
      const of = ['search', 'echo'];
      const wave = atMost(2 * edges(topology), { per: 'acquire', of });
      const fewer = atMost(2 * edges(topology) - 1, { per: 'acquire', of });
      const all = atMost((n + 1) * (n - 1), { per: 'acquire' });
      const tokens = atMost(n - 1, { per: 'acquire', of: ['token'] });
      expectBounds(protocol, topology, budget, [wave, tokens, all], [fewer]);
      expect(costOf(protocol, n)).toEqual(all);
    },
  );

  const run = (protocol: Protocol, topology: Topology, workload: ReturnType<typeof closedLoop>) => {
    const conditions = { order: 'any', delay: { kind: 'uniform', least: 1, most: 30 } } as const;
    const { messages, exclusion } = simulate({ protocol, topology, workload, conditions });
    const { search = 0, echo = 0, token = 0 } = messages;
    expect(exclusion.entries).toHaveLength(5 * topology.nodes.length);
    return {
      wave: search + echo,
      token,
      waited: exclusion.entries.filter(({ requestedAt, enteredAt }) => enteredAt > requestedAt)
        .length,
    };
  };

  proof(
    'light load: exactly 2e messages per search, each edge once in each direction; 2e − (n−1) without echoes',
    () => {
      for (let n = 2; n <= 20; n += 3) {
        const topology = randomGraph(n, 0.3, n);
        const light = poisson({ mean: 10_000, entries: 5 });
        const echoing = run(protocol, topology, light);
        expect(echoing.wave).toBe(2 * edges(topology) * echoing.waited);
        expect(echoing.token).toBeLessThanOrEqual((n - 1) * echoing.waited);
        const silent = run(flooded, topology, light);
        expect(silent.wave).toBe((2 * edges(topology) - (n - 1)) * silent.waited);
      }
    },
  );

  proof(
    'heavy load: at most that, and less where a wave is overtaken by the next one of the same node',
    () => {
      let overtaken = 0;
      for (let n = 2; n <= 20; n += 3) {
        const topology = randomGraph(n, 0.3, n);
        const { wave, token, waited } = run(
          protocol,
          topology,
          closedLoop({ entries: 5, think: { kind: 'fixed', ms: 0 } }),
        );
        expect(wave).toBeLessThanOrEqual(2 * edges(topology) * waited);
        expect(token).toBeLessThanOrEqual((n - 1) * waited);
        overtaken += 2 * edges(topology) * waited - wave;
      }
      expect(overtaken).toBeGreaterThan(0);
    },
  );
});

greedyContract({
  make: echoToken,
  topology: chain,
  states: [
    [2, { commands: 2 }, 554],
    [3, { commands: 2, initiators: ['a', 'b'] }, 8_544],
  ],
});
