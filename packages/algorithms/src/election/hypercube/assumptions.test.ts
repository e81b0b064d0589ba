import { shuffledRing } from '@conclave/core/internal/topology';
import { oneShot, simulate, totalMessages } from '@conclave/core/simulation';
import { hypercube, type Topology } from '@conclave/core/topology';
import { proof } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { cubeOf, cubes } from '../../checks/networks.js';
import { lineThrough } from '../../contract/fit.js';
import { conditionsFor } from '../../contract/sweep.js';
import { ignoringUnexpected } from '../../mutual-exclusion/ignoring-unexpected.contract.js';
import { handled, outcomeOf, quiescence } from '../../mutual-exclusion/outcome.contract.js';
import { hypercubeElection } from './protocol.js';

const oneLeader = 'at most one node is the leader';

describe('hypercube assumptions', () => {
  const square = cubeOf(['a', 'b', 'd', 'c']);

  proof.each([
    ['a lost message', { losses: 1 }, quiescence, 10],
    ['a crash', { crashes: 1 }, 'every live node knows the one leader', 6],
    ['a restart', { crashes: 1, restarts: 1 }, handled, 8],
    ['a duplicated message', { duplications: 1 }, handled, 7],
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
