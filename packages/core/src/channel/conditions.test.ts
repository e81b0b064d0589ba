import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Conditions, conditions, type Delay, delayText, drawDelay, parseDelay, perfect } from './conditions.js';
import { Random } from './random.js';

const ms = fc.oneof(fc.nat(1000), fc.double({ min: 0, max: 1e6, noNaN: true }).map(Math.abs));
const plainDelay: fc.Arbitrary<Delay> = fc.oneof(
  fc.record({ kind: fc.constant('fixed' as const), ms }),
  fc.tuple(ms, ms).map(([a, b]): Delay => ({ kind: 'uniform', least: Math.min(a, b), most: Math.max(a, b) })),
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

  it('reads back as the delay it was', () => {
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

  it('refuses what it can read but what cannot be', () => {
    expect(() => parseDelay('fixed:-1')).toThrow('fixed:-1: the delay -1 is no delay. ');
    expect(() => parseDelay('geo+uniform:5:1')).toThrow('uniform:5:1: the least delay 5 is above the most 1. ');
  });

  it('names the part behind geo+ that it cannot read', () => {
    expect(() => parseDelay('geo+soon')).toThrow("'soon' is no delay. ");
    expect(() => parseDelay('geo+')).toThrow("'' is no delay. ");
  });
});

describe('conditions', () => {
  it('are perfect but for what is changed', () => {
    expect(conditions()).toEqual(perfect);
    expect(perfect).toEqual({ delay: { kind: 'fixed', ms: 1 }, order: 'fifo', loss: 0, duplication: 0 });
    expect(conditions({ order: 'any', loss: 1 })).toEqual({ ...perfect, order: 'any', loss: 1 });
  });

  const cure = 'Delays are milliseconds, from 0 to 1e12 (some 30 years).';
  it.each<[unknown, string]>([
    [{ loss: -0.1 }, 'loss -0.1 is no probability. Give a number from 0 to 1.'],
    [{ loss: NaN }, 'loss NaN is no probability. Give a number from 0 to 1.'],
    [{ duplication: 1.01 }, 'duplication 1.01 is no probability. Give a number from 0 to 1.'],
    [{ order: 'lifo' }, "'lifo' is no order. Give 'fifo' or 'any'."],
    [{ delay: { kind: 'fixed', ms: -1 } }, `fixed:-1: the delay -1 is no delay. ${cure}`],
    [{ delay: { kind: 'fixed', ms: 1e308 } }, `fixed:1e+308: the delay 1e+308 is no delay. ${cure}`],
    [{ delay: { kind: 'normal', mean: 0, deviation: 1.1e12 } }, `normal:0:1100000000000: the deviation 1100000000000 is no delay. ${cure}`],
    [{ delay: { kind: 'fixed', ms: Infinity } }, `fixed:Infinity: the delay Infinity is no delay. ${cure}`],
    [{ delay: { kind: 'uniform', least: -1, most: 5 } }, `uniform:-1:5: the least delay -1 is no delay. ${cure}`],
    [{ delay: { kind: 'uniform', least: 1, most: NaN } }, `uniform:1:NaN: the most delay NaN is no delay. ${cure}`],
    [{ delay: { kind: 'uniform', least: 9, most: 5 } }, `uniform:9:5: the least delay 9 is above the most 5. ${cure}`],
    [{ delay: { kind: 'exponential', mean: -2 } }, `exponential:-2: the mean -2 is no delay. ${cure}`],
    [{ delay: { kind: 'normal', mean: -2, deviation: 1 } }, `normal:-2:1: the mean -2 is no delay. ${cure}`],
    [{ delay: { kind: 'normal', mean: 2, deviation: -1 } }, `normal:2:-1: the deviation -1 is no delay. ${cure}`],
    [{ delay: { kind: 'link', jitter: { kind: 'fixed', ms: -3 } } }, `fixed:-3: the delay -3 is no delay. ${cure}`],
    [{ delay: { kind: 'instant' } }, `instant: it is no kind of delay. ${cure}`],
  ])('refuse %j', (changes, message) => {
    expect(() => conditions(changes as Partial<Conditions>)).toThrow(expect.objectContaining({ code: 'bad-input', message }));
  });

  it('take whatever is in bounds', () => {
    const always5: Delay = { kind: 'uniform', least: 5, most: 5 };
    expect(conditions({ delay: always5 }).delay).toEqual(always5);
    for (const loss of [0, 0.5, 1]) expect(conditions({ loss, duplication: loss }).loss).toBe(loss);
    fc.assert(fc.property(delay, (delay) => conditions({ delay }).delay === delay));
  });
});

describe('drawn delays', () => {
  const drawn = (delay: Delay, link = 0) => {
    const random = new Random(11);
    const values = Array.from({ length: 20_000 }, () => drawDelay(delay, link, random)).sort((a, b) => a - b);
    const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
    const below = (bound: number) => values.filter((value) => value < bound).length / values.length;
    return { least: values[0] ?? NaN, most: values.at(-1) ?? NaN, mean, below };
  };
  const near = (value: number, expected: number, tolerance: number) => expect(Math.abs(value - expected)).toBeLessThan(tolerance);

  it('fixed: always the same', () => {
    const { least, most } = drawn({ kind: 'fixed', ms: 7 }, 100);
    expect([least, most]).toEqual([7, 7]);
  });

  it('uniform: within the bounds, up to both, and even', () => {
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
    const { least, most } = drawn({ kind: 'link', jitter: { kind: 'uniform', least: 1, most: 3 } }, 42);
    expect(least).toBeGreaterThanOrEqual(43);
    expect(most).toBeLessThan(45);
    expect(drawn({ kind: 'link', jitter: { kind: 'link' } }, 42).most).toBe(42);
  });
});
