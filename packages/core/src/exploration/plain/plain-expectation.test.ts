import { leftToTest, times } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { Dice, drawsOf } from '../../protocol/dice.contract.js';
import { almostSurely, eventually } from '../../protocol/property.js';
import type { Figure } from '../expected/figures.js';
import { exploreSystem } from './plain.js';
import { expectedOfSystem, type PlainExpectedOptions } from './plain-expectation.js';
import type { PlainSystem } from './plain-system.js';

const textOf = (figure: Figure<unknown> | undefined) =>
  figure?.kind === 'exact' ? figure.fraction : figure?.kind;
const both = (figures: { least: Figure<unknown>; greatest: Figure<unknown> } | undefined) => [
  textOf(figures?.least),
  textOf(figures?.greatest),
];

/** A walk from 0 to `end`: a step up, or down to 0, by weights. */
const climb = (end: number, up: number, down: number): PlainSystem<number, string> => ({
  initial: 0,
  actions: (at) => (at < end ? ['up', 'down'] : []),
  weights: () => [up, down],
  next: (at, action) => (action === 'up' ? at + 1 : 0),
});

/** A gambler with `stake` of `total`; each may also leave the game and come back. */
const gambler = (stake: number, total: number): PlainSystem<number, string> => ({
  initial: stake,
  actions: (has) => (has > 0 && has < total ? ['win', 'lose'] : []),
  weights: () => [1, 1],
  next: (has, action) => (action === 'win' ? has + 1 : has - 1),
});

describe('published values', () => {
  it.each([
    // 2^(n + 1) − 2 tosses for n times heads in a row
    ['three times heads', climb(3, 1, 1), '14'],
    ['ten times heads', climb(10, 1, 1), '2046'],
    // stake · (total − stake) rounds
    ['ruin of 3 of 10', gambler(3, 10), '21'],
    ['ruin of 50 of 100', gambler(50, 100), '2500'],
  ])('%s', (_, system, steps) => {
    expect(both(expectedOfSystem(system).expectation)).toEqual([steps, steps]);
  });

  it('the gambler wins with the probability of his share', () => {
    const until = (has: number) => has === 10;
    const { probability, expectation } = expectedOfSystem(gambler(3, 10), { until });
    expect(both(probability)).toEqual(['3/10', '3/10']);
    expect(both(expectation)).toEqual(['infinite', 'infinite']);
  });

  it('the end of the ruined gambler is the run that never gets there', () => {
    const { expectation } = expectedOfSystem(gambler(1, 3), { until: (has) => has === 3 });
    const { least } = expectation ?? {};
    expect(least?.kind === 'infinite' && least.run).toEqual({ actions: ['lose'], loopsFrom: 1 });
  });
});

describe('a scheduler', () => {
  const either: PlainSystem<string, string> = {
    initials: ['one', 'two'],
    actions: (at) => ({ one: ['risk', 'safe'], two: ['safe'], risk: ['a', 'b'] })[at] ?? [],
    weights: (at) => (at === 'risk' ? [1, 3] : undefined),
    next: (at, action) => (at === 'risk' ? (action === 'a' ? 'end' : 'one') : action),
  };
  const cost = ({ action }: { readonly action: string }) => (action === 'safe' ? 5 : 0);

  it('chooses the start as well, and goes around for nothing', () => {
    const { expectation, probability, draws } = expectedOfSystem(either, { cost });
    expect(both(probability)).toEqual(['1', '1']);
    expect(both(expectation)).toEqual(['0', '5']);
    expect(draws).toBe(1);
  });
});

describe('almostSurely', () => {
  const verdicts = (system: PlainSystem<number, string>) =>
    exploreSystem(system, {
      properties: [
        almostSurely('gets there almost surely', (at) => at === 3),
        eventually('gets there', (at) => at === 3),
      ],
    })
      .properties.slice(0, 2)
      .map(({ verdict }) => verdict);
  const fair = () => 'step';

  it('holds where only draws stand in the way', () => {
    expect(verdicts({ ...climb(3, 1, 1000), fair })).toEqual(['holds', 'violated']);
    expect(verdicts({ ...climb(3, 1, 1), fair, weights: () => undefined })).toEqual([
      'violated',
      'violated',
    ]);
  });

  it('is violated where a draw may lead to where no draw leads out', () => {
    const pit = {
      ...climb(3, 9, 1),
      next: (at: number, action: string) => at + (action === 'up' ? 1 : -4),
    };
    const bounded = {
      ...pit,
      fair,
      actions: (at: number) => (at < 0 ? ['stay'] : at < 3 ? ['up', 'down'] : []),
      weights: (at: number) => (at < 0 ? undefined : [9, 1]),
    };
    const stays = {
      ...bounded,
      next: (at: number, action: string) => (action === 'stay' ? at : pit.next(at, action)),
    };
    expect(verdicts(stays)).toEqual(['violated', 'violated']);
  });
});

it('agrees with the least probability on random systems, without fairness', () => {
  leftToTest(); // few runs have few systems that are sure
  const verdicts = new Map<string, number>();
  for (let seed = 1; seed <= times(10, 500); seed++) {
    const dice = new Dice(drawsOf(seed));
    const size = 2 + dice.upTo(5);
    const targets = dice.list(size, () => dice.list(dice.upTo(3), () => dice.upTo(size - 1)));
    const isDrawn = dice.list(size, () => dice.upTo(1) === 1);
    const isGoal = dice.list(size, () => dice.seldom(3));
    const system: PlainSystem<number, number> = {
      initial: 0,
      actions: (at) => (targets[at] ?? []).map((_, index) => index),
      weights: (at) => (isDrawn[at] ? (targets[at] ?? []).map((_, index) => index + 1) : undefined),
      next: (at, action) => targets[at]?.[action] ?? at,
      fair: () => 'step',
    };
    const until = (at: number) => isGoal[at] === true;
    const { properties } = exploreSystem(system, {
      properties: [almostSurely('there', until, { vacuous: 'a random system' })],
      fairness: 'none',
    });
    const { probability } = expectedOfSystem(system, { until });
    const isSure = textOf(probability?.least) === '1';
    expect([seed, properties[0]?.verdict]).toEqual([seed, isSure ? 'holds' : 'violated']);
    verdicts.set(String(isSure), (verdicts.get(String(isSure)) ?? 0) + 1);
  }
  expect(Math.min(...verdicts.values())).toBeGreaterThan(times(2, 100));
  expect(verdicts.size).toBe(2);
});

describe('what it refuses', () => {
  const coin = climb(1, 1, 1);
  it.each<[string, unknown, PlainExpectedOptions<number, string>, string]>([
    ['too few weights', { ...coin, weights: () => [1] }, {}, 'weights gives [1] for the 2 actions'],
    ['weights of 0', { ...coin, weights: () => [1, 0] }, {}, 'weights gives [1,0]'],
    ['weights that fail', { ...coin, weights: () => [].map(boom) && boom() }, {}, 'boom'],
    ['weights that are no function', { ...coin, weights: [1, 1] }, {}, "The system's weights is"],
    ['a cost below 0', coin, { cost: () => -1 }, "The cost 'cost' of a step is -1"],
    ['a next that fails', { ...coin, next: boom }, {}, 'boom'],
  ])('%s', (_, system, options, what) => {
    expect(() => expectedOfSystem(system as PlainSystem<number, string>, options)).toThrow(what);
  });

  it('says that a limit was reached', () => {
    const found = expectedOfSystem(climb(100, 1, 1), { limits: { states: 10 } });
    expect(found).toMatchObject({ complete: false, limit: 'states' });
    expect(found.draws).toBeUndefined();
    expect(found.expectation).toBeUndefined();
  });
});

function boom(): never {
  throw new Error('boom');
}
