import { expect, it } from 'vitest';
import { harmonic, lineThrough } from './fit.js';

it('harmonic numbers are sums of reciprocals', () => {
  expect([0, 1, 2].map(harmonic)).toEqual([0, 1, 1.5]);
  expect(harmonic(4)).toBeCloseTo(25 / 12, 12);
});

it('a line goes through collinear points, and between others', () => {
  const on = (slope: number) => [1, 2, 3].map((x) => ({ x, y: slope * x + 3 }));
  for (const rise of [2, -0.5]) {
    const { slope, correlation } = lineThrough(on(rise));
    expect(slope).toBeCloseTo(rise, 12);
    expect(correlation).toBeCloseTo(Math.sign(rise), 12);
  }
  const between = lineThrough([...on(2), ...on(2).map(({ x, y }) => ({ x, y: y + 1 }))]);
  expect(between.slope).toBeCloseTo(2);
  expect(between.correlation).toBeGreaterThan(0.9);
  expect(between.correlation).toBeLessThan(1);
});
