import { start, step } from '@conclave/core/internal';
import { type LocalState, type NodeId, send } from '@conclave/core/protocol';
import { oneShot, simulate, totalMessages } from '@conclave/core/simulation';
import { hypercube, type Topology } from '@conclave/core/topology';
import { proof } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { cubeOf, cubes } from '../../checks/networks.js';
import { lineThrough } from '../../contract/cost.contract.js';
import { mutantOf, takeAll } from '../../contract/machines.contract.js';
import { anyInitiators, shuffledRing } from '../../contract/networks.contract.js';
import { conditionsFor } from '../../contract/sweep.contract.js';
import {
  everyMessageHandled,
  ignoringUnexpected,
  outcomeOf,
  quiescence,
} from '../../mutual-exclusion/outcome.contract.js';
import { electionContract } from '../election.contract.js';
import { type Event, type Message, machine } from './hypercube.js';
import { hypercubeElection } from './protocol.js';

const mutant = mutantOf(hypercubeElection);
/** Matches are carried as far as possible. */
const square = cubeOf(['a', 'b', 'd', 'c']);
const cube = cubeOf(['a', 'b', 'd', 'c', 'h', 'e', 'f', 'g']);

electionContract({
  protocol: hypercubeElection,
  topologies: [hypercube(1), square, cubeOf(['d', 'a', 'c', 'b']), cube],
  small: [
    { topology: hypercube(1), budget: {} },
    { topology: square, budget: { initiators: ['a'] } },
  ],
  explored: [
    ['1 dimension, any set of initiators', anyInitiators(cubes(1)), {}, 30],
    ['2 dimensions in any order, any set of initiators', anyInitiators(cubes(2)), {}, 19_311],
    [
      '3 dimensions in 21 of 5,040 orders, one node starts',
      [cube, ...cubes(3).filter((_, index) => index % 252 === 100)],
      { initiators: ['a'] },
      12_456,
    ],
  ],
  costs: [hypercube(1), square, cube, hypercube(3), hypercube(6), hypercube(9)],
  winner: ({ nodes }) => [...nodes].sort().at(-1) ?? '',
  mutants: {
    'a match for a later stage is taken for one of this stage': mutant(
      "edges:a,b,c,d,a>b@0,a>c@1,b>a@0,b>d@1,c>d@0,c>a@1,d>c@0,d>b@1, 3 steps: Node c in 'asleep' does not handle 'elected' (from d)",
      machine.provide({
        guards: {
          hasLost: ({ context }) => (context.delayed[0]?.id ?? '') > context.self,
          hasWon: ({ context }) => context.delayed.length > 0,
        },
      }),
    ),
  },
});

describe('hypercube rules', () => {
  const neighbours = ['p', 'q', 'r'];
  const asleep: LocalState = start(machine, 'm', { self: 'm', neighbours }).state;
  const after = (...events: Event[]) => takeAll(machine, 'm', asleep, events);
  const elect: Event = { type: 'elect' };
  const match = (
    id: NodeId,
    stage: number,
    source: readonly number[],
    dest: readonly number[] = [],
    from: NodeId = 'p',
  ): Event => ({ ...{ type: 'match', id, stage, source, dest, from } });
  const elected = (from: NodeId): Event => ({ type: 'elected', id: 'z', from });
  const sends = (
    to: NodeId,
    id: NodeId,
    stage: number,
    source: readonly number[],
    dest: readonly number[] = [],
  ) => send(to, { type: 'match', id, stage, source, dest });
  const defeated = [elect, match('a', 0, [0]), match('z', 1, [0, 1])];

  it('[HC1] a node that is told to elect, or woken by a match, challenges its neighbour in dimension 0', () => {
    for (const event of [elect, match('z', 2, [2])]) {
      const { state, effects } = after(event);
      expect(state).toMatchObject({ value: 'duelling', context: { stage: 0 } });
      expect(effects).toEqual([sends('p', 'm', 0, [0])]);
      expect(step(machine, 'm', state, elect)).toEqual({ state, effects: [] });
    }
  });

  it('[HC2] a match that comes before its stage waits', () => {
    const { state, effects } = after(elect, match('z', 2, [2]), match('a', 1, [0, 1]));
    expect(effects).toEqual([]);
    expect(state).toMatchObject({
      value: 'duelling',
      context: {
        delayed: [
          { id: 'a', stage: 1 },
          { id: 'z', stage: 2 },
        ],
      },
    });
  });

  it('[HC3] the winner challenges its neighbour in the next dimension, and plays at once if the opponent has come already', () => {
    expect(after(elect, match('a', 0, [0])).effects).toEqual([sends('q', 'm', 1, [1])]);
    const { state, effects } = after(elect, match('b', 1, [0, 1]), match('a', 0, [0]));
    expect(state).toMatchObject({ value: 'duelling', context: { stage: 2, delayed: [] } });
    expect(effects).toEqual([sends('q', 'm', 1, [1]), sends('r', 'm', 2, [2])]);
  });

  it('[HC4] the loser notes the shortest way to the winner, and passes on the matches that have waited', () => {
    const { state, effects } = after(
      elect,
      match('a', 0, [0]),
      match('c', 2, [2]),
      match('z', 1, [0, 1]),
    );
    expect(state).toMatchObject({ value: 'defeated', context: { toWinner: [0, 1], delayed: [] } });
    expect(effects).toEqual([sends('p', 'c', 2, [0, 2], [1])]);
  });

  it('[HC5] a defeated node passes a match on to its winner, and carries one that is on its way', () => {
    expect(after(...defeated, match('c', 2, [2])).effects).toEqual([
      sends('p', 'c', 2, [0, 2], [1]),
    ]);
    expect(after(...defeated, match('c', 2, [0, 1, 2], [1, 2])).effects).toEqual([
      sends('q', 'c', 2, [0, 2], [2]),
    ]);
    expect(after(elect, match('c', 2, [0, 2], [1])).effects).toEqual([
      sends('q', 'c', 2, [0, 1, 2]),
    ]);
  });

  it('[HC5] a duellist carries matches if one overtakes the match that defeats it: four dimensions', () => {
    const ids = 'malbcdenzfghijko'.split('');
    const network = cubeOf(ids);
    const role = hypercubeElection.roles.node;
    if (!role) throw new Error('no role');
    const states = new Map(
      ids.map((id) => [id, start(machine, id, role.input(id, network)).state]),
    );
    const inFlight: { readonly to: NodeId; readonly event: Event }[] = [];
    const take = (id: NodeId, event: Event) => {
      const state = states.get(id);
      if (!state) throw new Error(`no node ${id}`);
      const taken = step(machine, id, state, event);
      states.set(id, taken.state);
      for (const effect of taken.effects)
        if (effect.type === 'send')
          // the machine sends no others
          inFlight.push({ to: effect.to, event: { ...(effect.message as Message), from: id } });
    };
    /** The match that defeats a is slow. */
    const isSlow = ({ to, event }: (typeof inFlight)[number]) =>
      to === 'a' && event.type === 'match' && event.id === 'm';
    let carried = 0;
    for (const id of ids) take(id, elect);
    for (
      let next = inFlight.findIndex((one) => !isSlow(one));
      next >= 0;
      next = inFlight.findIndex((one) => !isSlow(one))
    )
      for (const { to, event } of inFlight.splice(next, 1)) {
        if (
          to === 'a' &&
          states.get(to)?.value === 'duelling' &&
          event.type === 'match' &&
          event.dest.length > 0
        )
          carried++;
        take(to, event);
      }
    expect(carried).toBe(1);
    expect(ids.filter((id) => states.get(id)?.value === 'leader')).toEqual(['z']);
    expect(ids.filter((id) => states.get(id)?.value === 'follower')).toHaveLength(15);
  });

  it('[HC6] the winner of the last stage is the leader and tells all neighbours', () => {
    const { state, effects } = after(
      elect,
      match('a', 0, [0]),
      match('b', 1, [1]),
      match('c', 2, [1, 2]),
    );
    expect(state).toMatchObject({ value: 'leader', context: { leader: 'm', delayed: [] } });
    expect(effects).toEqual(neighbours.map((id) => send(id, { type: 'elected', id: 'm' })));
  });

  it('[HC7] any other node notes the leader and tells its neighbours in lower dimensions', () => {
    for (const before of [[elect], defeated])
      for (const [dimension, from] of neighbours.entries()) {
        const { state, effects } = after(...before, elected(from));
        expect(state).toMatchObject({ value: 'follower', context: { leader: 'z', delayed: [] } });
        expect(effects).toEqual(
          neighbours.slice(0, dimension).map((id) => send(id, { type: 'elected', id: 'z' })),
        );
      }
  });

  it('[HC8] a node that knows the leader ignores commands and matches', () => {
    const { state } = after(elect, elected('p'));
    for (const event of [elect, match('c', 2, [2]), match('c', 2, [0, 2], [1])])
      expect(step(machine, 'm', state, event)).toEqual({ state, effects: [] });
  });
});

const oneLeader = 'at most one node is the leader';

describe('hypercube assumptions', () => {
  const square = cubeOf(['a', 'b', 'd', 'c']);

  proof.each([
    ['a lost message', { losses: 1 }, quiescence, 10],
    ['a crash', { crashes: 1 }, 'every live node knows the one leader', 6],
    ['a restart', { crashes: 1, restarts: 1 }, everyMessageHandled, 8],
    ['a duplicated message', { duplications: 1 }, everyMessageHandled, 7],
  ])(
    '%s never makes two leaders in two dimensions, and has this shortest run',
    (_what, budget, broken, steps) => {
      expect(
        outcomeOf(ignoringUnexpected(hypercubeElection), square, budget).verdicts,
      ).toMatchObject({ [oneLeader]: 'holds' });
      expect(outcomeOf(hypercubeElection, square, budget).verdicts).toMatchObject({
        [broken]: `violated in ${steps}`,
      });
    },
  );

  it('a duplicated message does no other harm: it is enough that the leader ignores matches', () => {
    const { verdicts } = outcomeOf(ignoringUnexpected(hypercubeElection), square, {
      duplications: 1,
    });
    expect(
      Object.values(verdicts).filter((verdict) => verdict !== 'holds' && verdict !== 'reached'),
    ).toEqual([]);
  });
});

describe('hypercube cost', () => {
  const run = (
    topology: Topology,
    seed = 1,
    conditions = conditionsFor(hypercubeElection).at(-1) ?? {},
  ) =>
    totalMessages(
      simulate({
        protocol: hypercubeElection,
        topology,
        workload: oneShot({ type: 'elect' }),
        seed,
        conditions,
      }),
    );
  const shuffled = (d: number, seed: number) => cubeOf(shuffledRing(2 ** d, seed).nodes);
  const boundsOf = (topology: Topology) =>
    hypercubeElection.cost?.messages(topology.nodes.length, topology) ?? {
      least: Infinity,
      most: 0,
    };

  proof(
    'is between 3(n − 1) and 7n − d² − 3d − 7, and both bounds are reached, over all orders of 2, 4 and 8 ids',
    () => {
      for (const [d, least, most, reaching] of [
        [1, 3, 3, 1],
        [2, 9, 11, 3],
        [3, 21, 31, 315],
      ] as const) {
        const costs = cubes(d).map(boundsOf);
        expect(Math.min(...costs.map((bounds) => bounds.least))).toBe(least);
        expect(Math.max(...costs.map((bounds) => bounds.most))).toBe(most);
        expect(costs.filter((bounds) => bounds.most === most)).toHaveLength(reaching);
        expect(hypercubeElection.cost?.messages(2 ** d)).toEqual({ least, most });
      }
    },
  );

  proof(
    'of a network is computed from its ids; it is exact if messages take the same time, and never more',
    () => {
      for (let d = 1; d <= 5; d++)
        for (let seed = 1; seed <= 4; seed++) {
          const topology = shuffled(d, seed);
          const { least, most } = boundsOf(topology);
          expect(run(topology, seed, {})).toBeLessThanOrEqual(most);
          for (const conditions of conditionsFor(hypercubeElection)) {
            const total = run(topology, seed, conditions);
            expect(total).toBeGreaterThanOrEqual(least);
            expect(total).toBeLessThanOrEqual(most);
          }
        }
    },
  );

  proof('grows by 4.5 messages a node for random orders of the ids, up to ten dimensions', () => {
    const points = [4, 6, 8, 10].flatMap((d) =>
      [1, 2].map((seed) => ({ x: 2 ** d, y: run(shuffled(d, seed), seed) })),
    );
    const { slope, correlation } = lineThrough(points);
    expect(slope).toBeCloseTo(4.5, 1);
    expect(correlation).toBeGreaterThan(0.999);
    expect(run(hypercube(10))).toBe(3 * 1023);
  });
});
