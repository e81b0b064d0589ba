import { readFileSync } from 'node:fs';
import { explore } from '@conclave/core/exploration';
import { leadsTo, type NodeView, send, step } from '@conclave/core/protocol';
import { chain, complete, connectedGraphs, ring, topology } from '@conclave/core/topology';
import { describe, expect, it } from 'vitest';
import { failing } from '../../../contract/failing.js';
import { withMachine } from '../../../contract/mutant.js';
import { ofWholes, withoutSteps } from '../../../contract/without-steps.js';
import { mutualExclusionContract } from '../../mutual-exclusion.contract.js';
import { labelledGraphs, labelledTrees } from '../building-blocks/labelled-graphs.contract.js';
import { countOf } from '../building-blocks/token-knowledge.js';
import { acquire, nodeM, none, pairs, search, walkingTokenContract, waysLeadThere } from '../building-blocks/walking-token.contract.js';
import type { Event } from '../building-blocks/walking-token.js';
import { walker } from '../building-blocks/walking-token.js';
import { walkingMutants } from '../building-blocks/walking-token-mutants.contract.js';
import { flood, type Heard, type Wave } from '../building-blocks/wave.js';
import { echo, machine } from './echo-token.js';
import { echoToken } from './protocol.js';

const plain = echoToken();
const page = () => readFileSync(new URL('./README.md', import.meta.url), 'utf8');
const triangle = complete(3);

const mutant = (wave: Wave) => withMachine(withoutSteps(plain), walker('mutant', wave));
/** The last who tells is taken for the way there, not the first; and no wave comes back. */
const last: Wave = {
  begun: (node) => ({ ...flood.begun(node), known: { awaited: { ...node.awaited, [node.self]: 1 } } }),
  heard: (node, message) => {
    const { known, sent } = flood.heard(node, message);
    const { initiator, k, from } = message;
    const isAgain = initiator !== node.self && k === node.requested[initiator];
    return { known: isAgain ? { towards: { ...node.towards, [initiator]: from } } : known, sent };
  },
  comesBack: true,
};
/** Who hears of a wish answers at once, and still tells the others. */
const rash: Wave = {
  ...echo,
  heard: (node, message) => {
    const { initiator, k, from } = message;
    const { known, sent } = echo.heard(node, message);
    const told = sent.filter(([, { type }]) => type === 'search');
    return { known, sent: known.requested ? [...told, [from, { type: 'echo', initiator, k }]] : told };
  },
};

mutualExclusionContract({
  protocol: plain,
  topologies: [chain(2), chain(3), triangle, ring(4, { oneWay: false })],
  small: [
    { topology: chain(2), budget: { commands: 1 } },
    { topology: triangle, budget: { commands: 1, initiators: ['b'] } },
  ],
  explored: [
    { what: '2 nodes, 3 entries each', systems: [{ topology: chain(2), budget: { commands: 3 } }], states: 3_274 },
    {
      what: 'all chains of 3 nodes, an entry each',
      systems: labelledTrees(3).map((topology) => ({ topology, budget: { commands: 1 } })),
      states: 12_248,
    },
    {
      what: 'triangle, an entry for any two',
      systems: pairs(triangle.nodes).map((initiators) => ({ topology: triangle, budget: { commands: 1, initiators } })),
      states: 17_011,
    },
    {
      what: 'all connected graphs of 4 nodes, an entry for any one',
      systems: labelledGraphs(4).flatMap((topology) =>
        topology.nodes.map((id) => ({ topology, budget: { commands: 1, initiators: [id] } })),
      ),
      states: 47_154,
    },
    {
      what: '4 nodes and up to 4 edges, an entry for two',
      systems: connectedGraphs(4)
        .slice(0, 4)
        .map((topology) => ({ topology, budget: { commands: 1, initiators: ['c', 'd'] } })),
      states: 54_744,
    },
    {
      what: 'triangle, an entry each, nothing overtakes',
      systems: [{ topology: triangle, budget: { commands: 1, order: 'fifo' } }],
      states: 228_702,
    },
  ],
  covered: [
    {
      topology: chain(3),
      budget: { commands: 1 },
      states: 4_038,
      transitions: 14_218,
      depth: 23,
      undelivered: ['released.here: token', 'held: token'],
    },
  ],
  costs: [chain(3), complete(5), topology('grid:3x3')],
  mutants: {
    ...walkingMutants(plain, machine, echo),
    'the way to a node is where it was heard of last': {
      refuted: 'complete:3, 9 steps: every node that wants to enter eventually enters',
      protocol: mutant(last),
    },
    'whoever hears of a wish answers at once': {
      refuted: 'edges:a,b,c,a-b,a-c, 3 steps: everybody has heard of whoever waits and has its wave back',
      protocol: mutant(rash),
    },
  },
});

walkingTokenContract({ make: echoToken, machine, wave: echo, states: 4_038, faulty: { losses: 14_659, crashes: 33_261 }, page });

describe('echo-token rules', () => {
  const { first, after } = nodeM(machine, echo);
  const answer = (to: string, initiator = 'z', k = 1) => send(to, { type: 'echo', initiator, k });
  const echoed = (from: string, k: number, initiator = 'z'): Event => ({ type: 'echo', initiator, k, from });

  it('[E1] whoever has heard from all neighbours, by search or echo, answers the one that told it first', () => {
    const told = after(first(null), search('y', 'z', 1));
    for (const last of [search('x', 'z', 1), echoed('x', 1)]) {
      const { state, effects } = after(told.state, last);
      expect(effects).toEqual([answer('y')]);
      expect(state.context.awaited).toEqual(none);
    }
  });

  it('[E1] a leaf answers at once', () => {
    const leaf = step(machine, 'm', { ...first(null), context: { ...first(null).context, neighbours: ['y'] } }, search('y', 'z', 1));
    expect(leaf.effects).toEqual([answer('y')]);
  });

  it('[E2] a wave is back when the initiator has heard from all neighbours', () => {
    const { state, effects } = after(first(null), acquire, search('x', 'm', 1), echoed('y', 1, 'm'));
    expect(effects).toEqual([]);
    expect(state).toMatchObject({ value: 'wanted', context: { awaited: none } });
  });

  it('[E3] what belongs to a wave that has been overtaken counts for nothing', () => {
    const told = after(first(null), search('y', 'z', 2)).state;
    for (const late of [search('x', 'z', 1), echoed('x', 1)]) {
      const { state, effects } = after(told, late);
      expect(effects).toEqual([]);
      expect(state).toEqual(told);
    }
  });

  it('every wave comes back, in every interleaving', () => {
    const outstanding = ({ id, context }: NodeView) => countOf((context as unknown as Heard).awaited ?? {}, id); // as the machine's own types say
    const comesBack = leadsTo(
      'every wave comes back',
      (node) => outstanding(node) > 0,
      (node) => outstanding(node) === 0,
    );
    for (const topology of [chain(3), ring(4, { oneWay: false }), triangle]) {
      const found = explore(plain, topology, { commands: 1, initiators: topology.nodes.slice(-2), properties: [comesBack] });
      expect(found).toMatchObject({ complete: true, properties: [{ verdict: 'holds' }, {}, {}] });
    }
  });

  it('where there are cycles, too, whoever has heard of a node knows the way to it', () => {
    for (const [topology, commands] of [
      [triangle, 2],
      [ring(4, { oneWay: false }), 1],
    ] as const) {
      const found = explore(plain, topology, {
        commands,
        initiators: topology.nodes.slice(-2),
        order: 'fifo',
        properties: [waysLeadThere],
      });
      expect(found).toMatchObject({ complete: true, properties: [{ verdict: 'holds' }, {}, {}] });
    }
    expect(explore(mutant(last), triangle, { properties: [waysLeadThere] }).properties[0]).toMatchObject({ verdict: 'violated' });
  });

  it('without echoes everybody gets the token, too', () => {
    const flooded = { ...plain, properties: ofWholes(plain.properties).slice(0, -1) };
    for (const [topology, states] of [
      [triangle, 76_536],
      [chain(3), 465],
    ] as const) {
      const found = explore(withMachine(flooded, walker('flood', flood)), topology, { commands: 1 });
      expect(found).toMatchObject({ complete: true, states });
      expect(failing(found)).toEqual([]);
    }
  });

  it('the first way to a node is as good for ever as that of its latest wish', () => {
    const keeping: Wave = {
      ...echo,
      heard: (node, message) => {
        const { known, sent } = echo.heard(node, message);
        return { known: known.towards ? { ...known, towards: { ...known.towards, ...node.towards } } : known, sent };
      },
    };
    const found = explore(mutant(keeping), triangle, { commands: 2, initiators: ['b', 'c'], order: 'fifo' });
    expect(found).toMatchObject({ complete: true });
    expect(failing(found)).toEqual([]);
  });
});
