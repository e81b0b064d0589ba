import { readFileSync } from 'node:fs';
import { start } from '@conclave/core/internal';
import { type LocalState, type NodeId, send } from '@conclave/core/protocol';
import { oneShot, simulate, totalMessages } from '@conclave/core/simulation';
import { ring, type Topology } from '@conclave/core/topology';
import { proof } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { assign } from 'xstate';
import { rings } from '../../checks/networks.js';
import { failing } from '../../contract/findings.contract.js';
import {
  mutantOf,
  takeAll,
  withHastyLeader,
  withMachine,
} from '../../contract/machines.contract.js';
import { anyInitiators, mostRounds, shuffledRing } from '../../contract/networks.contract.js';
import { conditionsFor } from '../../contract/sweep.contract.js';
import {
  everyMessageHandled,
  ignoringUnexpected,
  outcomeOf,
  quiescence,
} from '../../mutual-exclusion/outcome.contract.js';
import { electionContract } from '../election.contract.js';
import { type Event, machine } from './franklin.js';
import { franklin } from './protocol.js';

const mutant = mutantOf(franklin);
const twoWay = { oneWay: false };
const twoWayRing = (nodes: number | readonly NodeId[]) => ring(nodes, twoWay);

electionContract({
  protocol: franklin,
  topologies: [
    twoWayRing(3),
    twoWayRing(['d', 'c', 'b', 'a']),
    twoWayRing(['c', 'a', 'e', 'b', 'd']),
    twoWayRing(mostRounds(ring(8).nodes)),
  ],
  small: [
    { topology: twoWayRing(3), budget: { initiators: ['a'] } },
    { topology: twoWayRing(['a', 'c', 'b']), budget: { initiators: ['a', 'c'] } },
  ],
  explored: [
    [
      'two-way rings of 3 in any order, any set of initiators',
      anyInitiators(rings(3, twoWay)),
      {},
      2_980,
    ],
    [
      'two-way rings of 4 in any order, a and c start',
      rings(4, twoWay),
      { initiators: ['a', 'c'] },
      5_234,
    ],
    ['two-way rings of 5 in any order, a starts', rings(5, twoWay), { initiators: ['a'] }, 22_012],
  ],
  costs: [3, 4, 16, 33, 64].flatMap((n) => [
    twoWayRing(n),
    twoWayRing(mostRounds(ring(n).nodes)),
    shuffledRing(n, n, twoWay),
  ]),
  winner: ({ nodes }) => [...nodes].sort().at(-1) ?? '',
  mutants: {
    'a defeated node drops the ids of later rounds': mutant(
      'two-way-ring:a,b,c, 9 steps: no node waits in a quiescent state',
      machine.provide({ actions: { passOnKept: assign({ fromLeft: [], fromRight: [] }) } }),
    ),
  },
});

describe('franklin rules', () => {
  const asleep: LocalState = start(machine, 'm', { self: 'm', left: 'l', right: 'r' }).state;
  const after = (...events: Event[]) => takeAll(machine, 'm', asleep, events);
  const elect: Event = { type: 'elect' };
  const candidate = (from: 'l' | 'r', id: NodeId): Event => ({ type: 'candidate', id, from });
  const elected: Event = { type: 'elected', id: 'z', from: 'l' };
  const sends = (to: 'l' | 'r', id: NodeId) => send(to, { type: 'candidate', id });
  const round = [sends('l', 'm'), sends('r', 'm')];
  const relaying = [elect, candidate('l', 'z'), candidate('r', 'a')];
  const alone = [elect, candidate('l', 'm'), candidate('r', 'm')];

  it('[FR1] an initiator sends its id to both sides', () => {
    const { state, effects } = after(elect);
    expect(state.value).toBe('active');
    expect(effects).toEqual(round);
  });

  it('[FR2] a candidate wakes a sleeping node, which sends its own id before it looks at the other', () => {
    const { state, effects } = after(candidate('r', 'z'));
    expect(state).toMatchObject({ value: 'active', context: { fromLeft: [], fromRight: ['z'] } });
    expect(effects).toEqual(round);
    expect(after(elect, candidate('r', 'z')).state).toEqual(state);
  });

  it('[FR3] an active node keeps the ids from one side until it knows one from the other side, larger or smaller', () => {
    for (const ids of [['a'], ['z'], ['a', 'z']]) {
      const { state, effects } = after(elect, ...ids.map((id) => candidate('l', id)));
      expect(state).toMatchObject({ value: 'active', context: { fromLeft: ids, fromRight: [] } });
      expect(effects).toEqual([]);
    }
  });

  it('[FR4] a node whose id is larger than both sends it again, and keeps an id of the next round', () => {
    for (const sides of [
      ['l', 'r'],
      ['r', 'l'],
    ] as const) {
      const [one, other] = sides;
      const { state, effects } = after(
        elect,
        candidate(one, 'a'),
        candidate(one, 'c'),
        candidate(other, 'b'),
      );
      expect(state).toMatchObject({
        value: 'active',
        context:
          one === 'l' ? { fromLeft: ['c'], fromRight: [] } : { fromLeft: [], fromRight: ['c'] },
      });
      expect(effects).toEqual(round);
    }
  });

  it('[FR5] a node with a larger id on either side is a relay from then on, and passes on the ids of later rounds', () => {
    for (const [left, right] of [
      ['a', 'z'],
      ['z', 'a'],
      ['y', 'z'],
    ] as const)
      expect(after(elect, candidate('l', left), candidate('r', right))).toMatchObject({
        state: { value: 'relaying' },
        effects: [],
      });
    expect(
      after(elect, candidate('l', 'z'), candidate('l', 'x'), candidate('r', 'a')).effects,
    ).toEqual([sends('r', 'x')]);
    expect(
      after(elect, candidate('r', 'z'), candidate('r', 'x'), candidate('l', 'a')).effects,
    ).toEqual([sends('l', 'x')]);
  });

  it('[FR6] a relay passes on each id to the other side', () => {
    expect(after(...relaying, candidate('l', 'b')).effects).toEqual([sends('r', 'b')]);
    expect(after(...relaying, candidate('r', 'z')).effects).toEqual([sends('l', 'z')]);
  });

  it('[FR7] a node whose own id comes from both sides is the leader and announces it to the right', () => {
    const { state, effects } = after(...alone);
    expect(state).toMatchObject({ value: { leader: 'announcing' }, context: { leader: 'm' } });
    expect(effects).toEqual([send('r', { type: 'elected', id: 'm' })]);
    expect(after(elect, candidate('l', 'm')).state.value).toBe('active');
  });

  it('[FR8] a relay that receives elected notes the leader and passes the message on', () => {
    const { state, effects } = after(...relaying, elected);
    expect(state).toMatchObject({ value: 'follower', context: { leader: 'z' } });
    expect(effects).toEqual([send('r', { type: 'elected', id: 'z' })]);
  });

  it('[FR9] the leader whose announcement returns has terminated', () => {
    const { state, effects } = after(...alone, { type: 'elected', id: 'm', from: 'l' });
    expect(state.value).toEqual({ leader: 'known' });
    expect(effects).toEqual([]);
  });

  it('[FR9] without it, the leader terminates while others do not know the leader', () => {
    const hasty = withHastyLeader(machine);
    const { verdicts } = outcomeOf(withMachine(franklin, hasty), twoWayRing(3));
    expect(verdicts).toMatchObject({
      'a node has terminated while another one does not know the leader': 'violated in 13',
    });
  });
});

describe('franklin assumptions', () => {
  const page = readFileSync(new URL('./README.md', import.meta.url), 'utf8');
  const known = 'every live node knows the one leader';
  const safe = {
    'at most one node is the leader': 'holds',
    'the leader has the largest id': 'holds',
  };

  proof.each([
    ['a lost message', { losses: 1 }, known, 9],
    ['a crash', { crashes: 1 }, known, 5],
    ['a duplicated message', { duplications: 1 }, everyMessageHandled, 14],
    ['a restart', { crashes: 1, restarts: 1 }, everyMessageHandled, 15],
    ['a message that overtakes another', { order: 'any' as const }, known, 15],
  ])(
    '%s never makes two leaders on a ring of 3, and has this shortest run',
    (_what, budget, broken, steps) => {
      expect(outcomeOf(ignoringUnexpected(franklin), twoWayRing(3), budget).verdicts).toMatchObject(
        safe,
      );
      const { verdicts, traces } = outcomeOf(franklin, twoWayRing(3), budget);
      expect(verdicts).toMatchObject({ [broken]: `violated in ${steps}` });
      if (broken === known && !('crashes' in budget)) expect(page).toContain(traces[known]);
    },
  );

  proof(
    'without FIFO, all nodes of a ring of 4 can be relays; the wrong node is never elected',
    () => {
      for (const topology of rings(4, twoWay)) {
        const { verdicts } = outcomeOf(franklin, topology, { order: 'any' });
        expect(verdicts).toMatchObject({
          ...safe,
          [everyMessageHandled]: 'holds',
          [known]: 'violated in 20',
          [quiescence]: 'violated in 20',
        });
      }
    },
  );
});

describe('franklin cost', () => {
  const run = (topology: Topology) =>
    simulate({ protocol: franklin, topology, workload: oneShot({ type: 'elect' }) });
  const logarithm = (n: number) => Math.floor(Math.log2(n));

  proof('is 2n(⌊log₂ n⌋ + 1) + n at most, and 5n if ids rise or fall, for n = 3 … 32', () => {
    for (let n = 3; n <= 32; n++) {
      const names = ring(n).nodes;
      expect(run(twoWayRing(mostRounds(names))).messages).toEqual({
        candidate: 2 * n * (logarithm(n) + 1),
        elected: n,
      });
      expect(franklin.cost?.messages(n)).toEqual({
        least: 5 * n,
        most: 2 * n * (logarithm(n) + 1) + n,
      });
      for (const ids of [names, names.toReversed()])
        expect(run(twoWayRing(ids)).messages).toEqual({ candidate: 4 * n, elected: n });
    }
  });

  proof(
    'depends only on the order of the ids, on random rings of 16 … 64, for all initiators and delays',
    () => {
      const met = new Set<number>();
      for (let n = 16; n <= 64; n += 16)
        for (let seed = 1; seed <= 4; seed++) {
          const topology = shuffledRing(n, seed, twoWay);
          const { least = 0, most } = franklin.cost?.messages(n, topology) ?? {};
          expect(least).toBe(most);
          met.add(least / n);
          for (const nodes of [topology.nodes, topology.nodes.slice(-1)])
            for (const conditions of conditionsFor(franklin)) {
              const workload = oneShot(
                { type: 'elect' },
                { nodes, after: { kind: 'exponential', mean: 30 } },
              );
              expect(
                totalMessages(
                  simulate({ protocol: franklin, topology, workload, conditions, seed }),
                ),
              ).toBe(least);
            }
        }
      expect([...met].sort((a, b) => a - b)).toEqual([9, 11]);
    },
  );

  proof.each([
    ['1,000 nodes in random order, in 7 rounds', shuffledRing(1000, 1, twoWay), 7, 'n999'],
    ['10,000 nodes whose ids rise along the ring, in 2 rounds', twoWayRing(10_000), 2, 'n9999'],
  ])('elects the largest of %s', (_what, topology, rounds, largest) => {
    const { messages, leader, properties } = run(topology);
    const n = topology.nodes.length;
    expect(messages).toEqual({ candidate: 2 * n * rounds, elected: n });
    expect(leader).toBe(largest);
    expect(failing({ properties })).toEqual([]);
  });
});
