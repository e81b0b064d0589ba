import { describe, expect, it } from 'vitest';
import { centralLock } from '../../protocol/examples.contract.js';
import { complete, star } from '../../topology/generators.js';
import { explore } from '../explore/explore.js';
import { type ExpectedOptions, expected } from './expected.js';
import type { Figure } from './figures.js';
import { tosser } from './toss.contract.js';

const pair = complete(2);
const alone: ExpectedOptions = { initiators: ['a'] };

const textOf = (figure: Figure<unknown> | undefined) =>
  figure?.kind === 'exact' ? figure.fraction : figure?.kind;
const both = (figures: { least: Figure<unknown>; greatest: Figure<unknown> } | undefined) => [
  textOf(figures?.least),
  textOf(figures?.greatest),
];

describe('a coin that is tossed until it is heads', () => {
  const fair = tosser({ heads: 1, tails: 1 });

  it.each([
    ['a fair one', { heads: 1, tails: 1 }, '2'],
    ['one that is mostly tails', { heads: 1, tails: 6 }, '7'],
    ['one of odd weights', { heads: 355, tails: 113 }, '468/355'],
    ['one without tails', { heads: 1, tails: 0 }, '1'],
  ])('%s', (_, coin, tosses) => {
    const found = expected(tosser(coin), pair, { ...alone, cost: 'tosses' });
    expect(both(found.expectation)).toEqual([tosses, tosses]);
    expect(both(found.probability)).toEqual(['1', '1']);
    expect(found).toMatchObject({ complete: true, cost: 'tosses', protocol: 'tosser' });
  });

  it.each<[string, ExpectedOptions['cost'], string]>([
    ['messages by default', undefined, '4'],
    ['messages of one type', 'toss', '2'],
    ['what a function says', ({ cause }) => (cause.kind === 'timeout' ? 3 : 0), '3'],
    // a command, two tosses, four deliveries and a pause
    ['steps', 'steps', '8'],
  ])('counts %s', (_, cost, least) => {
    const found = expected(fair, pair, { ...alone, ...(cost === undefined ? {} : { cost }) });
    expect(both(found.expectation)).toEqual([least, least]);
  });

  it('adds what two nodes cost, whatever the order', () => {
    expect(both(expected(fair, pair).expectation)).toEqual(['8', '8']);
  });

  it('measures time, in milliseconds', () => {
    const time = { kind: 'exact', delay: [1, 3] } as const;
    const slow = tosser({ heads: 1, tails: 1, pause: 2.5 });
    const found = expected(slow, pair, { ...alone, time, cost: 'time', within: 6.5 });
    // a pause on average, and four messages
    expect(both(found.expectation)).toEqual(['13/2', '29/2']);
    // messages of 1 ms leave time for a second toss, those of 3 ms do not
    expect(both(found.within)).toEqual(['1/2', '3/4']);
    expect(found.tick).toBe(0.5);
  });

  it('tells how likely a run ends within a cost', () => {
    const within = (most: number) =>
      both(expected(fair, pair, { ...alone, cost: 'tosses', within: most }).within);
    expect([0, 1, 2, 5].map((most) => within(most)[0])).toEqual(['0', '1/2', '3/4', '31/32']);
    expect(within(5)).toEqual(['31/32', '31/32']);
  });

  it('goes on until a state of the system', () => {
    const until = (system: { count(tag: string): number }) => system.count('done') > 0;
    const found = expected(fair, pair, { until, cost: 'tosses' });
    expect(both(found.expectation)).toEqual(['2', '2']);
    // The last answer comes after it. With two coins: 1 message, half of the time a second one by
    // the other node, and after two times tails 2 messages a toss.
    expect(both(expected(fair, pair, { until }).expectation)).toEqual(['5/2', '3']);
  });

  it('ends with probability 1, and not always', () => {
    const { properties } = explore(fair, pair, alone);
    expect(properties.slice(0, 2).map(({ verdict }) => verdict)).toEqual(['holds', 'violated']);
  });
});

describe('a coin of which nothing is known', () => {
  const unknown = tosser({ heads: 1, tails: 1, unknown: true });

  it('may never be heads: the run goes around', () => {
    const { expectation, probability, draws } = expected(unknown, pair, alone);
    expect(draws).toBe(0);
    expect(both(expectation)).toEqual(['2', 'infinite']);
    expect(both(probability)).toEqual(['0', '1']);
    const { greatest } = expectation ?? {};
    if (greatest?.kind !== 'infinite') return expect.unreachable();
    const { trace, loopsFrom, loopsFromStep, steps } = greatest.run;
    const loop = trace.lines.slice(loopsFrom).map(({ event }) => event);
    expect(loop).toContainEqual({ kind: 'chosen', value: 'tails' });
    expect(loopsFromStep).toBeLessThan(steps.length);
  });

  it('is not heads almost surely', () => {
    const { properties } = explore(unknown, pair, alone);
    expect(properties.slice(0, 2).map(({ verdict }) => verdict)).toEqual(['violated', 'violated']);
    expect(properties[0]?.loopsFrom).toBeLessThan(properties[0]?.trace?.lines.length ?? 0);
  });

  it('is no lock: without draws, least and greatest are the shortest and the longest run', () => {
    const found = expected(centralLock, star(3));
    expect(both(found.expectation)).toEqual(['6', '6']);
    expect(found.draws).toBe(0);
  });
});

describe('what it says of its figures', () => {
  const fair = tosser({ heads: 1, tails: 1 });

  it('assumes no fairness, all commands, and crashes between steps', () => {
    const { assumptions } = expected(fair, pair, { ...alone, crashes: 1 });
    expect(assumptions.slice(0, 3)).toEqual([
      'that whoever decides what happens next may do as it likes, also be unfair; only draws are random',
      'that every optional command is given before the run ends',
      'that nodes crash between steps only, not while they send',
    ]);
    const until = () => true;
    expect(expected(fair, pair, { ...alone, until }).assumptions).not.toContain(assumptions[1]);
  });

  it('has none after an incomplete search', () => {
    const found = expected(fair, pair, { limits: { states: 3 } });
    expect(found).toMatchObject({ complete: false, limit: 'states' });
    expect(found.expectation).toBeUndefined();
  });

  it.each([
    [{ cost: 'tosess' }, "Tosser has no cost 'tosess'", 'messages, steps, time, tosses, toss'],
    [{ cost: 'time' }, 'this system has no exact time', "Give time: { kind: 'exact'"],
    [{ cost: () => 0.5 }, "The cost 'cost' of a step is 0.5", 'Count in units'],
    [{ cost: () => -1 }, "The cost 'cost' of a step is -1", 'from 0 on'],
    [{ cost: 3 }, 'cost is 3', 'Give a name, or a function.'],
    [{ within: -1 }, 'within is -1', 'a number of units of the cost'],
    [{ properties: [] }, "there is no option 'properties'", 'It knows'],
    [{ until: () => 1 }, "Property 'until' answers 1", 'neither true nor false'],
  ])('refuses %o', (options, what, cure) => {
    const compute = () => expected(fair, pair, options as unknown as ExpectedOptions);
    expect(compute).toThrow(what);
    expect(compute).toThrow(cure);
  });
});
