import { readFileSync } from 'node:fs';
import { explore } from '@conclave/check';
import { start, step } from '@conclave/core/internal';
import { type LocalState, type Protocol, send, sometimes } from '@conclave/core/protocol';
import { oneShot, simulate, totalMessages } from '@conclave/core/simulation';
import {
  chain,
  complete,
  grid,
  ring,
  star,
  type Topology,
  topology,
  tree,
} from '@conclave/core/topology';
import { linesText } from '@conclave/core/trace';
import { proof, sampled } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import type { AnyStateMachine } from 'xstate';
import { allGraphs } from '../../checks/networks.js';
import { everyInterleaving } from '../../contract/explored.contract.js';
import { failing } from '../../contract/findings.contract.js';
import { takeAll, withMachine, withState } from '../../contract/machines.contract.js';
import { randomGraph, spanningTrees, treeText } from '../../contract/networks.contract.js';
import { sharedContract } from '../../contract/shared.contract.js';
import { conditionsFor, seedsTo, sweep } from '../../contract/sweep.contract.js';
import {
  everyMessageHandled,
  ignoringUnexpected,
  outcomeOf,
  quiescence,
} from '../../mutual-exclusion/outcome.contract.js';
import { parentOf } from '../wave.js';
import { type Event, initiator, node } from './echo.js';
import { echo } from './protocol.js';

const protocol: Protocol = echo();
/** Two triangles that share the edge b–c. */
const diamond = topology('edges:a-b,a-c,b-c,b-d,c-d');
const networks = [
  chain(2),
  star(5),
  ring(5, { oneWay: false }),
  grid(2, 3),
  randomGraph(7, 0.5, 5),
];
const workload = () => oneShot({ type: 'start' }, { after: { kind: 'exponential', mean: 30 } });
/** The first node starts: with all labelled graphs it has each place in each graph. */
const systems = (n: number) => allGraphs(n).map((topology) => ({ topology, budget: {} }));

const allReached = 'the initiator is done only after every node has been reached';
const done = 'every node is reached, and the initiator is done';

/** A version in which the nodes that are reached have another machine. */
const mutant = (refuted: string, machine: AnyStateMachine, role = 'node') => ({
  protocol: withMachine(protocol, machine, role),
  refuted,
});

const mutants = {
  'explorers from other neighbours do not count': mutant(
    'edges:a,b,c,a-b,a-c,b-c, 5 steps: no node waits in a quiescent state',
    withState(node, ['red'], { on: { explorer: {}, echo: { actions: ['crossOff', 'adopt'] } } }),
  ),
  'the last explorer gives the parent': mutant(
    'edges:a,b,c,a-b,a-c,b-c, 5 steps: the parents of the reached nodes form a tree whose root is the initiator',
    withState(node, ['red'], {
      on: { explorer: { actions: ['crossOff', 'join'] }, echo: { actions: ['crossOff', 'adopt'] } },
    }),
  ),
  'the initiator waits for one neighbour only': mutant(
    'edges:a,b,c,a-b,a-c, 3 steps: the initiator is done only after every node has been reached',
    initiator.provide({
      guards: {
        heardFromAll: ({ context }) =>
          context.pending.length < Math.max(1, context.neighbours.length),
      },
    }),
    'initiator',
  ),
};

describe(`${protocol.id} ${protocol.name}: wave`, () => {
  it('reaches all nodes in up to 1,000 seeded runs under each condition it assumes, and handles every message', () => {
    const seeds = sampled(seedsTo(200), 5);
    const { runs, failure } = sweep({ protocol, topologies: networks, workload, seeds });
    expect(failure).toBeUndefined();
    expect(runs).toBe(seeds.length * networks.length * conditionsFor(protocol).length);
  });

  it('costs what its formula says: 2e messages', () => {
    for (const network of [...networks, complete(8), grid(3, 3), tree(3, 40)])
      for (const conditions of conditionsFor(protocol)) {
        const total = totalMessages(
          simulate({ protocol, topology: network, workload: workload(), conditions }),
        );
        expect(total).toBe(network.links.length);
        expect(protocol.cost?.messages(network.nodes.length, network)).toEqual({
          least: total,
          most: total,
        });
        const bounds = protocol.cost?.messages(network.nodes.length);
        expect(total).toBeGreaterThanOrEqual(bounds?.least ?? Infinity);
        expect(total).toBeLessThanOrEqual(bounds?.most ?? -Infinity);
      }
  });

  everyInterleaving(
    protocol,
    [
      [
        'all connected graphs of up to 3 nodes, the initiator at each',
        [1, 2, 3].flatMap(systems),
        {},
        57,
      ],
      ['all connected graphs of 4 nodes, the initiator at each', systems(4), {}, 4_604],
    ],
    mutants,
  );

  sharedContract(protocol, networks, workload, [
    { topology: complete(3), budget: {} },
    { topology: diamond, budget: {} },
  ]);
});

describe('echo rules', () => {
  const [neighbours, from] = [
    ['p', 'q', 'r'],
    (from: string, type: 'explorer' | 'echo') => ({ type, height: 4, from }) as Event,
  ];
  const first = (machine: AnyStateMachine): LocalState => start(machine, 'm', { neighbours }).state;
  const after = (machine: AnyStateMachine, ...events: Event[]) =>
    takeAll(machine, 'm', first(machine), events);
  const explorer = (to: string, height: number) => send(to, { type: 'explorer', height });

  it('[EW1] the initiator explores all its edges when it starts', () => {
    const { state, effects } = after(initiator, { type: 'start' });
    expect(effects).toEqual(neighbours.map((id) => explorer(id, 0)));
    expect(state).toMatchObject({
      value: 'red',
      context: { parent: null, height: 0, pending: neighbours },
    });
  });

  it('[EW2] the first explorer gives a node its parent and its height, and is passed on to the other neighbours', () => {
    const { state, effects } = after(node, from('q', 'explorer'));
    expect(effects).toEqual([explorer('p', 5), explorer('r', 5)]);
    expect(state).toMatchObject({
      value: 'red',
      context: { parent: 'q', height: 5, pending: ['p', 'r'] },
    });
  });

  it('[EW3] a red node crosses off the neighbours that it hears from; those that send an echo are its children', () => {
    for (const [type, children] of [
      ['explorer', []],
      ['echo', ['r']],
    ] as const) {
      const { state, effects } = after(node, from('q', 'explorer'), from('r', type));
      expect(effects).toEqual([]);
      expect(state).toMatchObject({
        value: 'red',
        context: { parent: 'q', pending: ['p'], children },
      });
    }
  });

  it('[EW4] a node that has heard from all neighbours sends an echo to its parent', () => {
    const { state, effects } = after(
      node,
      from('q', 'explorer'),
      from('r', 'echo'),
      from('p', 'explorer'),
    );
    expect(effects).toEqual([send('q', { type: 'echo' })]);
    expect(state).toMatchObject({ value: 'green', context: { children: ['r'] } });
    const leaf = step(
      node,
      'm',
      start(node, 'm', { neighbours: ['q'] }).state,
      from('q', 'explorer'),
    );
    expect(leaf.effects).toEqual([send('q', { type: 'echo' })]);
  });

  it('[EW5] the initiator that has heard from all neighbours is done', () => {
    const { state, effects } = after(
      initiator,
      { type: 'start' },
      from('r', 'echo'),
      from('p', 'explorer'),
      from('q', 'echo'),
    );
    expect(effects).toEqual([]);
    expect(state).toMatchObject({ value: 'green', context: { children: ['q', 'r'] } });
    expect([...state.tags]).toContain('done');
  });
});

proof(
  'echo trees every spanning tree of every connected graph of up to 4 nodes is found in some run, and no other',
  () => {
    const counts = [1, 2, 3, 4].map((n) => {
      let found = 0;
      for (const network of allGraphs(n)) {
        const trees = spanningTrees(network, 'a').map(treeText);
        const treeOf = (nodes: Parameters<typeof parentOf>[0][]) =>
          treeText(
            new Map(
              nodes.flatMap((view) =>
                parentOf(view) === null ? [] : [[view.id, parentOf(view) ?? ''] as const],
              ),
            ),
          );
        const properties = trees.map((tree) =>
          sometimes(
            tree,
            (system) => system.count('done') === 1 && treeOf([...system.nodes]) === tree,
          ),
        );
        expect(failing(explore(protocol, network, { properties }))).toEqual([]);
        found += trees.length;
      }
      return found;
    });
    // 1, 1, 3 · 1 + 3 and 16 trees of complete graphs, and those of their connected subgraphs
    expect(counts).toEqual([1, 1, 6, 128]);
  },
);

const page = readFileSync(new URL('./README.md', import.meta.url), 'utf8');

describe('echo assumptions', () => {
  it.each([
    ['a lost message', chain(2), { losses: 1 }, done, 2],
    ['a crash', chain(2), { crashes: 1 }, done, 1],
    ['a duplicated message', chain(3), { duplications: 1 }, everyMessageHandled, 4],
    ['a restart', chain(3), { crashes: 1, restarts: 1 }, everyMessageHandled, 5],
  ] as const)('%s: the shortest run', (_what, network: Topology, budget, broken, steps) => {
    expect(outcomeOf(protocol, network, budget).verdicts).toMatchObject({
      [broken]: `violated in ${steps}`,
    });
  });

  proof('after a loss or a crash the wave may not return, but it is never done too early', () => {
    for (const network of [chain(3), complete(3), diamond])
      for (const budget of [{ losses: 1 }, { crashes: 1 }]) {
        const { verdicts } = outcomeOf(protocol, network, budget);
        expect(verdicts).toMatchObject({ [allReached]: 'holds', [everyMessageHandled]: 'holds' });
        expect(verdicts[quiescence]).toContain('violated');
      }
  });

  it('a node that ignores unexpected messages tolerates duplicates', () => {
    for (const network of [chain(3), complete(3)])
      for (const duplications of [1, 2])
        expect(
          Object.values(
            outcomeOf(ignoringUnexpected(protocol), network, { duplications }).verdicts,
          ),
        ).not.toContain('violated');
  });

  it('the page shows the run with a loss, and the run with two initiators', () => {
    expect(page).toContain(outcomeOf(protocol, complete(3), { losses: 1 }).traces[done]);
    const either = withState(initiator, ['white'], {
      on: { start: { target: 'red', actions: 'explore' }, explorer: {} },
    });
    const twice: Protocol = {
      ...protocol,
      roles: {
        ...protocol.roles,
        initiator: { ...protocol.roles.node, machine: either } as Protocol['roles'][string],
      },
      roleOf: (id) => (id === 'c' ? 'node' : 'initiator'),
    };
    const { properties } = explore(twice, chain(3));
    const trace = properties.find(({ name }) => name === allReached)?.trace;
    expect(page).toContain(linesText(trace?.lines ?? []));
    expect(trace?.lines).toHaveLength(3);
  });
});

describe('echo cost', () => {
  proof('is 2e in every interleaving: each edge carries one message in each direction', () => {
    // Each step of a run that is not a command delivers a message.
    for (const network of [3, 4].flatMap(allGraphs)) {
      const { depth, complete } = explore(protocol, network);
      expect([complete, depth]).toEqual([true, network.links.length + 1]);
    }
  });

  proof('is 2e on networks of up to 10,000 nodes', () => {
    for (const network of [
      grid(20, 20),
      randomGraph(200, 0.1, 3),
      ring(1000, { oneWay: false }),
      tree(3, 10_000),
    ]) {
      const { messages, complete } = simulate({
        protocol: { ...protocol, properties: [] },
        topology: network,
        workload: workload(),
      });
      const treeEdges = network.nodes.length - 1;
      expect(complete).toBe(true);
      expect(messages).toEqual({ explorer: network.links.length - treeEdges, echo: treeEdges });
    }
  });
});
