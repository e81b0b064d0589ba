import { never } from '@conclave/core/protocol';
import {
  closedLoop,
  Random,
  type SimulationResult,
  simulate,
  totalMessages,
} from '@conclave/core/simulation';
import { star } from '@conclave/core/topology';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { centralLock } from '../../../core/src/protocol/examples.contract.js';
import {
  outcomeOf,
  type SeedOutcome,
  type SeedsOptions,
  simulateSeeds,
  summaryOf,
} from './seeds.js';
import { estimate, quantiles, tQuantile } from './statistics.js';

describe('quantiles', () => {
  /**
   * The definition: the least of the values such that at least so many per cent of all values are
   * not larger.
   */
  const least = (values: readonly number[], percent: number) =>
    Math.min(
      ...values.filter(
        (candidate) =>
          100 * values.filter((value) => value <= candidate).length >= percent * values.length,
      ),
    );

  it('are the least values that so many per cent of all values do not exceed', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: -50, max: 50 }), { minLength: 1, maxLength: 120 }),
        (values) => {
          const [min, max] = [Math.min(...values), Math.max(...values)];
          expect(quantiles(values)).toEqual({
            min,
            p5: least(values, 5),
            median: least(values, 50),
            p95: least(values, 95),
            max,
          });
        },
      ),
    );
  });

  it('count places exactly, of 1 to 1,000 values', () => {
    for (let size = 1; size <= 1000; size++) {
      const { p5, p95 } = quantiles(Array.from({ length: size }, (_, index) => index + 1)) ?? {};
      expect([p5, p95]).toEqual(
        [BigInt(5 * size + 99) / 100n, BigInt(95 * size + 99) / 100n].map(Number),
      );
    }
  });

  it('there are none without values', () => {
    expect(quantiles([])).toBeUndefined();
  });
});

describe('an estimate', () => {
  it('has the mean, and the interval of Student', () => {
    // half the interval of 2, 4, 4, 4, 5, 5, 7, 9: 2.3646 · 2.1381 / √8
    const { mean = NaN, interval = [] } = estimate([2, 4, 4, 4, 5, 5, 7, 9]) ?? {};
    expect([mean, ...interval]).toEqual([5, expect.closeTo(3.2125, 3), expect.closeTo(6.7875, 3)]);
  });

  it('has no interval of one value, and an empty one of equal values', () => {
    expect(estimate([])).toBeUndefined();
    expect(estimate([3])).toEqual({ mean: 3 });
    expect(estimate([3, 3, 3])).toEqual({ mean: 3, interval: [3, 3] });
  });

  it('takes the quantiles of the t distribution, as tables have them', () => {
    const published = {
      1: 12.706,
      2: 4.303,
      9: 2.262,
      10: 2.228,
      15: 2.131,
      30: 2.042,
      100: 1.984,
    };
    for (const [freedom, quantile] of Object.entries(published))
      expect(Math.abs(tQuantile(Number(freedom)) - quantile)).toBeLessThan(0.001);
  });

  it('contains the expected value in about 95 of 100 samples', () => {
    const random = new Random(11);
    const contains = Array.from({ length: 2000 }, () => {
      const [least = 1, most = 0] =
        estimate(Array.from({ length: 12 }, () => random.unit()))?.interval ?? [];
      return least <= 0.5 && 0.5 <= most;
    });
    const share = contains.filter(Boolean).length / contains.length;
    expect(Math.abs(share - 0.95)).toBeLessThan(0.015);
  });
});

const lock: Omit<SeedsOptions, 'seeds'> = {
  protocol: centralLock,
  topology: star(4),
  conditions: { delay: { kind: 'exponential', mean: 3 } },
  workload: closedLoop({ entries: 2, nodes: ['b', 'c', 'd'] }),
};

/** The order of two requests depends on the seed. */
const impatient = never(
  'a node waits while another is in the critical section',
  ({ nodes }) =>
    nodes.some(({ tags }) => tags.has('waiting')) && nodes.some(({ tags }) => tags.has('critical')),
);

describe('simulateSeeds', () => {
  const seeds = { from: -3, to: 16 };
  const each = (options: Omit<SeedsOptions, 'seeds'>): readonly SimulationResult[] =>
    Array.from({ length: 20 }, (_, index) => simulate({ ...options, seed: index - 3 }));

  it('sums up what simulate shows with each seed', () => {
    const results = each(lock);
    const waits = results.flatMap(({ exclusion }) =>
      exclusion.entries.map(({ requestedAt, enteredAt }) => enteredAt - requestedAt),
    );
    const figure = (values: readonly number[]) => ({ ...quantiles(values), ...estimate(values) });
    const meanWaits = results.flatMap(({ exclusion }) => exclusion.meanWait ?? []);
    expect(simulateSeeds({ ...lock, seeds })).toEqual({
      runs: 20,
      host: 'compiled',
      steps: results.reduce((total, { steps }) => total + steps, 0),
      confirmed: results.reduce((total, { confirmed = NaN }) => total + confirmed, 0),
      complete: 20,
      ended: { quiescent: 20 },
      messages: figure(results.map(totalMessages)),
      virtualMs: figure(results.map(({ virtualMs }) => virtualMs)),
      wait: { ...quantiles(waits), ...estimate(meanWaits) },
      entries: 120,
      synchronisationDelay: figure(
        results.flatMap(({ exclusion }) => exclusion.synchronisationDelay ?? []),
      ),
      properties: centralLock.properties.map(({ name, kind }) => ({
        ...{ name, kind },
        verdicts: { [kind === 'sometimes' ? 'reached' : 'holds']: 20 },
      })),
      violations: [],
    });
    expect(new Set(waits).size).toBeGreaterThan(50);
  });

  it('lists the seeds of violations; with failFast, the first is the last', () => {
    const options = {
      ...lock,
      workload: closedLoop({ nodes: ['b', 'c'] }),
      properties: [impatient],
    };
    const violating = each(options).flatMap(({ seed, violated }) =>
      violated === undefined ? [] : seed,
    );
    expect(violating.length).toBeGreaterThan(1);
    expect(violating.length).toBeLessThan(20);
    const all = simulateSeeds({ ...options, seeds });
    expect(all.violations).toEqual(violating.map((seed) => ({ seed, violated: impatient.name })));
    expect(all.properties).toEqual([
      {
        name: impatient.name,
        kind: 'never',
        verdicts: { violated: violating.length, holds: 20 - violating.length },
      },
    ]);
    expect(all.ended).toEqual({ violation: violating.length, quiescent: 20 - violating.length });
    const [first = 0] = violating;
    const fast = simulateSeeds({ ...options, seeds, failFast: true });
    expect(fast).toEqual(simulateSeeds({ ...options, seeds: { from: -3, to: first } }));
    expect(fast.violations).toHaveLength(1);
  });

  it('says what ran the nodes, and how many steps XState has confirmed', () => {
    const all = simulateSeeds({ ...lock, seeds, confirm: 'all' });
    expect(all).toEqual({ ...simulateSeeds({ ...lock, seeds }), confirmed: all.steps });
    const { host, hostReason, confirmed } = simulateSeeds({
      ...lock,
      seeds: { from: 1, to: 2 },
      host: 'actors',
    });
    expect({ host, hostReason, confirmed }).toEqual({
      host: 'actors',
      hostReason: "host: 'actors' was asked for",
      confirmed: undefined,
    });
  });

  it('stops where until.stop says so, with a summary of the runs before', () => {
    const seen: SeedOutcome[] = [];
    const stop = () => seen.length === 7;
    const summary = simulateSeeds({
      ...lock,
      seeds,
      until: { stop },
      onRun: (outcome) => seen.push(outcome),
    });
    expect(seen.map(({ seed }) => seed)).toEqual([-3, -2, -1, 0, 1, 2, 3]);
    expect(summary).toEqual(summaryOf(seen));
  });

  it('refuses a range that goes down', () => {
    expect(() => simulateSeeds({ ...lock, seeds: { from: 5, to: 1 } })).toThrow(
      'simulateSeeds: seeds goes from 5 to 1. Give { from: 1, to: 5 }.',
    );
  });
});

describe('a summary', () => {
  it('does not depend on the order of the runs', () => {
    const outcomes = [3, 1, 2].map((seed) => outcomeOf(simulate({ ...lock, seed })));
    expect(summaryOf(outcomes)).toEqual(summaryOf(outcomes.toReversed()));
    expect(summaryOf(structuredClone(outcomes))).toEqual(summaryOf(outcomes));
  });

  it('of no runs has no figures', () => {
    expect(summaryOf([])).toMatchObject({
      runs: 0,
      ended: {},
      messages: undefined,
      wait: undefined,
      properties: [],
      violations: [],
    });
  });
});
