import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Random } from '../base/random.js';
import {
  type Conditions,
  conditions,
  type Delay,
  delayText,
  drawDelay,
  parseDelay,
  perfect,
} from './conditions.js';

const ms = fc.oneof(fc.nat(1000), fc.double({ min: 0, max: 1e6, noNaN: true }).map(Math.abs));
const plainDelay: fc.Arbitrary<Delay> = fc.oneof(
  fc.record({ kind: fc.constant('fixed' as const), ms }),
  fc
    .tuple(ms, ms)
    .map(([a, b]): Delay => ({ kind: 'uniform', least: Math.min(a, b), most: Math.max(a, b) })),
  fc.record({ kind: fc.constant('exponential' as const), mean: ms }),
  fc.record({ kind: fc.constant('normal' as const), mean: ms, deviation: ms }),
);
const delay: fc.Arbitrary<Delay> = fc.oneof(
  plainDelay,
  fc.constant<Delay>({ kind: 'link' }),
  plainDelay.map((jitter): Delay => ({ kind: 'link', jitter })),
  plainDelay.map((jitter): Delay => ({ kind: 'link', jitter: { kind: 'link', jitter } })),
);

describe('the text of a delay', () => {
  it.each<[string, Delay]>([
    ['fixed:5', { kind: 'fixed', ms: 5 }],
    ['uniform:10:50.5', { kind: 'uniform', least: 10, most: 50.5 }],
    ['exponential:20', { kind: 'exponential', mean: 20 }],
    ['normal:20:5', { kind: 'normal', mean: 20, deviation: 5 }],
    ['geo', { kind: 'link' }],
    ['geo+uniform:0:5', { kind: 'link', jitter: { kind: 'uniform', least: 0, most: 5 } }],
  ])('%s', (text, delay) => {
    expect(parseDelay(text)).toEqual(delay);
    expect(delayText(delay)).toBe(text);
  });

  it('parses back to the same delay', () => {
    fc.assert(
      fc.property(delay, (delay) => {
        expect(parseDelay(delayText(delay))).toEqual(delay);
      }),
    );
  });

  it.each([
    ...[
      '',
      'fast',
      'fixed',
      'fixed:',
      'fixed: ',
      'fixed:x',
      'fixed:5:6',
      'fixed+5',
      'fixed:5x',
      'uniform:5',
      'uniform::5',
      'uniform:5:',
      'Fixed:5',
    ],
    ...['normal:5', 'exponential', 'exponential:NaN', 'geo:fixed:5', 'geographic', ':5', 'fixed5'],
  ])('refuses %j', (text) => {
    expect(() => parseDelay(text)).toThrow(
      expect.objectContaining({
        code: 'bad-input',
        message: `'${text}' is no delay. Write fixed:5, uniform:10:50, exponential:20, normal:20:5, geo or geo+uniform:0:5.`,
      }),
    );
  });

  it('refuses a readable text with impossible values', () => {
    expect(() => parseDelay('fixed:-1')).toThrow(
      'The delay fixed:-1: ms is -1. Give a number of milliseconds from 0 to 1000000000000.',
    );
    expect(() => parseDelay('geo+uniform:5:1')).toThrow(
      'The delay uniform:5:1: it is given an object. Give a least delay that is not above the most.',
    );
  });

  it('names the part behind geo+ that it cannot read', () => {
    expect(() => parseDelay('geo+soon')).toThrow("'soon' is no delay. ");
    expect(() => parseDelay('geo+')).toThrow("'' is no delay. ");
  });
});

describe('conditions', () => {
  it('are perfect except for the given changes', () => {
    expect(conditions()).toEqual(perfect);
    expect(perfect).toEqual({
      delay: { kind: 'fixed', ms: 1 },
      order: 'fifo',
      loss: 0,
      duplication: 0,
    });
    expect(conditions({ order: 'any', loss: 1 })).toEqual({ ...perfect, order: 'any', loss: 1 });
  });

  const probability = 'Give a number from 0 to 1.';
  const ms = 'Give a number of milliseconds from 0 to 1000000000000.';
  it.each<[unknown, string]>([
    [{ loss: -0.1 }, `loss is -0.1. ${probability}`],
    [{ loss: NaN }, `loss is NaN. ${probability}`],
    [{ duplication: 1.01 }, `duplication is 1.01. ${probability}`],
    [{ order: 'lifo' }, "order is 'lifo'. Give one of 'fifo', 'any'."],
    [
      { lost: 0.5 },
      "there is no option 'lost'. Did you mean 'loss'? It knows delay, order, loss, duplication.",
    ],
    [{ delay: 5 }, "delay is 5. Give a delay, such as { kind: 'fixed', ms: 5 }."],
    [{ delay: { kind: 'fixed', ms: -1 } }, `delay.ms is -1. ${ms}`],
    [{ delay: { kind: 'fixed', ms: Infinity } }, `delay.ms is Infinity. ${ms}`],
    [{ delay: { kind: 'fixed', mean: 5 } }, "there is no option 'delay.mean'. It knows kind, ms."],
    [{ delay: { kind: 'uniform', least: -1, most: 5 } }, `delay.least is -1. ${ms}`],
    [{ delay: { kind: 'uniform', least: 1, most: NaN } }, `delay.most is NaN. ${ms}`],
    [
      { delay: { kind: 'uniform', least: 9, most: 5 } },
      'delay is an object. Give a least delay that is not above the most.',
    ],
    [{ delay: { kind: 'exponential', mean: -2 } }, `delay.mean is -2. ${ms}`],
    [{ delay: { kind: 'normal', mean: -2, deviation: 1 } }, `delay.mean is -2. ${ms}`],
    [{ delay: { kind: 'normal', mean: 2, deviation: -1 } }, `delay.deviation is -1. ${ms}`],
    [
      { delay: { kind: 'link', jitter: { kind: 'fixed', ms: -3 } } },
      `delay.jitter.ms is -3. ${ms}`,
    ],
    [
      { delay: { kind: 'instant' } },
      "delay.kind is 'instant'. Give one of fixed, uniform, exponential, normal, link.",
    ],
  ])('refuse %j', (changes, message) => {
    expect(() => conditions(changes as Partial<Conditions>)).toThrow(
      expect.objectContaining({ code: 'bad-input', message: `Conditions: ${message}` }),
    );
  });

  it('accept all values within the bounds', () => {
    const always5: Delay = { kind: 'uniform', least: 5, most: 5 };
    expect(conditions({ delay: always5 }).delay).toEqual(always5);
    for (const loss of [0, 0.5, 1]) expect(conditions({ loss, duplication: loss }).loss).toBe(loss);
    fc.assert(fc.property(delay, (delay) => conditions({ delay }).delay === delay));
  });
});

describe('drawn delays', () => {
  const drawn = (delay: Delay, link = 0) => {
    const random = new Random(11);
    const values = Array.from({ length: 20_000 }, () => drawDelay(delay, link, random)).sort(
      (a, b) => a - b,
    );
    const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
    const below = (bound: number) => values.filter((value) => value < bound).length / values.length;
    return { least: values[0] ?? NaN, most: values.at(-1) ?? NaN, mean, below };
  };
  const near = (value: number, expected: number, tolerance: number) =>
    expect(Math.abs(value - expected)).toBeLessThan(tolerance);

  it('fixed: always the same', () => {
    const { least, most } = drawn({ kind: 'fixed', ms: 7 }, 100);
    expect([least, most]).toEqual([7, 7]);
  });

  it('uniform: within the bounds, up to both, and evenly distributed', () => {
    const { least, most, mean, below } = drawn({ kind: 'uniform', least: 10, most: 50 }, 100);
    expect(least).toBeGreaterThanOrEqual(10);
    expect(most).toBeLessThan(50);
    near(least, 10, 0.1);
    near(most, 50, 0.1);
    near(mean, 30, 0.5);
    near(below(20), 0.25, 0.01);
  });

  it('exponential: from 0, with its mean and its median', () => {
    const { least, mean, below } = drawn({ kind: 'exponential', mean: 20 }, 100);
    expect(least).toBeGreaterThanOrEqual(0);
    near(mean, 20, 0.6);
    near(below(20 * Math.LN2), 0.5, 0.015);
    near(below(40), 1 - Math.exp(-2), 0.01);
  });

  it('normal: with its mean and deviation', () => {
    const { mean, below } = drawn({ kind: 'normal', mean: 100, deviation: 10 }, 100);
    near(mean, 100, 0.3);
    near(below(90), 0.1587, 0.01);
    near(below(110), 0.8413, 0.01);
  });

  it('normal: drawn again where it would be negative, not cut to 0', () => {
    const { least, mean, below } = drawn({ kind: 'normal', mean: 0, deviation: 10 });
    expect(least).toBeGreaterThan(0);
    near(mean, 10 * Math.sqrt(2 / Math.PI), 0.3);
    near(below(10), 0.6827, 0.015);
  });

  it('link: the delay of the link, plus the jitter', () => {
    expect(drawn({ kind: 'link' }, 42)).toMatchObject({ least: 42, most: 42 });
    const { least, most } = drawn(
      { kind: 'link', jitter: { kind: 'uniform', least: 1, most: 3 } },
      42,
    );
    expect(least).toBeGreaterThanOrEqual(43);
    expect(most).toBeLessThan(45);
    expect(drawn({ kind: 'link', jitter: { kind: 'link' } }, 42).most).toBe(42);
  });
});
