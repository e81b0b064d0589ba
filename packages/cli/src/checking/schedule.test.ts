import { proof } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import {
  type Dimension,
  dimensions,
  firstTurn,
  type Levels,
  largestOf,
  largestSize,
  nextTurn,
  notTried,
  type Size,
  type Tried,
  type Turn,
  walkedSizes,
} from './schedule.js';

const upTo = (least: number, largest: number) =>
  Array.from({ length: largest - least + 1 }, (_, index) => least + index);
const levels = (raised: Partial<Levels>): Levels => ({
  ...{ nodes: [2], entries: [1], loss: [0], duplicate: [0], crash: [0], restart: [0] },
  ...raised,
});
const everything = levels({
  nodes: upTo(2, largestSize),
  entries: upTo(1, largestSize),
  loss: upTo(0, largestSize),
  duplicate: upTo(0, largestSize),
  crash: upTo(0, largestSize),
  restart: upTo(0, largestSize),
});

/** How many times as many states each level has. */
type Growth = Partial<Readonly<Record<Dimension, number>>>;

/**
 * The systems that are explored in so much time, where 1,000 states take a second, and the smallest
 * system has 10 states.
 */
function explored(
  within: Levels,
  growth: Growth,
  whole: number,
  statesOf = (size: Size) => statesBy(within, growth, size),
) {
  const tried: Tried[] = [];
  const turns: string[] = [];
  let left = whole;
  for (
    let turn: Turn | undefined = firstTurn(within, whole, left);
    turn && left > 0;
    turn = nextTurn(within, tried, whole, left)
  ) {
    const { size, seconds } = turn;
    const needed = statesOf(size) / 1000;
    const isCut = needed > seconds;
    const spent = Math.min(needed, seconds);
    turns.push(`${text(size)}${isCut ? ` cut after ${spent}` : ''}`);
    const again = tried.findIndex((other) => text(other.size) === text(size));
    if (again >= 0) tried.splice(again, 1);
    tried.push({ size, states: spent * 1000, seconds: spent, ...(isCut && { cutAfter: seconds }) });
    left -= spent;
  }
  return { tried, turns, left };
}

const statesBy = (within: Levels, growth: Growth, size: Size): number =>
  dimensions.reduce(
    (states, dimension) =>
      states * (growth[dimension] ?? 1) ** within[dimension].indexOf(size[dimension]),
    10,
  );

const text = (size: Size): string => dimensions.map((dimension) => size[dimension]).join('');

describe('the schedule of a check without sizes', () => {
  it('begins with the smallest system, and ends where nothing can be raised', () => {
    expect(firstTurn(everything, 64, 64)).toEqual({
      size: { nodes: 2, entries: 1, loss: 0, duplicate: 0, crash: 0, restart: 0 },
      seconds: 1,
    });
    expect(firstTurn(everything, 64, 0.5).seconds).toBe(0.5);
    expect(explored(levels({}), {}, 64).turns).toEqual(['210000']);
    expect(
      explored(levels({ nodes: [2, 3], loss: [0, 1] }), { nodes: 2, loss: 3 }, 64).turns,
    ).toEqual(['210000', '310000', '211000', '311000']);
  });

  it('raises nodes, commands and faults in turns: the cheapest first, where each level counts as a doubling', () => {
    const within = levels({
      nodes: upTo(2, largestSize),
      entries: upTo(1, largestSize),
      loss: upTo(0, largestSize),
    });
    const { turns } = explored(within, { nodes: 4, entries: 2, loss: 2 }, 64);
    expect(turns.slice(0, 12)).toEqual([
      // each dimension once: what they add is not known yet
      ...['210000', '310000', '220000', '211000'],
      ...['230000', '221000', '212000', '320000', '311000'],
      ...['410000', '240000', '231000'],
    ]);
  });

  proof('tries each dimension before it raises one three times', () => {
    const { turns } = explored(
      everything,
      { nodes: 6, entries: 3, loss: 4, duplicate: 5, crash: 3, restart: 2 },
      100,
    );
    const first = (digit: number, level: string) =>
      turns.findIndex((turn) => turn[digit] === level);
    const firsts = [
      first(0, '3'),
      first(1, '2'),
      first(2, '1'),
      first(3, '1'),
      first(4, '1'),
      first(5, '1'),
    ];
    expect(Math.max(...firsts)).toBeLessThan(
      Math.min(...['5', '4', '3', '3'].map((level, digit) => first(digit, level))),
    );
  });

  proof('is not held up by a dimension that adds little, or much', () => {
    const within = levels({
      nodes: upTo(2, largestSize),
      entries: upTo(1, largestSize),
      loss: upTo(0, largestSize),
    });
    const little = explored(within, { nodes: 5, entries: 1.01, loss: 1.01 }, 16).turns;
    expect(little.findIndex((turn) => turn.startsWith('41'))).toBeLessThan(60);
    expect(little.findIndex((turn) => turn.startsWith('41'))).toBeGreaterThan(0);
    // A hundred thousand times as many states: cut, and the others go on.
    const much = explored(within, { nodes: 100_000, entries: 2, loss: 2 }, 64);
    expect(much.turns.slice(0, 4)).toEqual(['210000', '310000 cut after 1', '220000', '211000']);
    expect(much.tried.filter(({ cutAfter }) => cutAfter === undefined).length).toBeGreaterThan(20);
  });

  it('takes the whole time, unless nothing is left that adds states', () => {
    const within = levels({ nodes: upTo(2, largestSize) });
    const { left, turns } = explored(within, { nodes: 10 }, 64);
    expect(left).toBe(0);
    expect(turns.at(-1)).toMatch(/^610000 cut after /);
    expect(explored(levels({ loss: upTo(0, largestSize) }), {}, 64).turns).toEqual([
      '210000',
      '211000',
    ]);
  });

  it('explores a cut system again, in a later round and for longer', () => {
    const { turns } = explored(levels({ loss: [0, 1] }), { loss: 500 }, 64); // 5 seconds
    expect(turns).toEqual(['210000', '211000 cut after 1', '211000 cut after 4', '211000']);
  });

  it('leaves a system that more time does not help, and what is above it', () => {
    const tried = (size: Partial<Size>, more: Partial<Tried> = {}): Tried => ({
      ...{
        size: { nodes: 2, entries: 1, loss: 0, duplicate: 0, crash: 0, restart: 0, ...size },
        states: 10,
        seconds: 1,
      },
      ...more,
    });
    const within = levels({ nodes: [2, 3, 4], loss: [0, 1] });
    const full = [
      tried({}),
      tried({ nodes: 3 }, { cutAfter: Infinity }),
      tried({ loss: 1 }, { states: 20 }),
    ];
    expect(nextTurn(within, full, 64, 60)).toBeUndefined();
  });

  it('does not raise what adds no state, on this network: the last loss does not happen', () => {
    const within = levels({ nodes: [2, 3], loss: upTo(0, largestSize) });
    // one message, or three
    const statesOf = ({ nodes, loss }: Size) => 10 + Math.min(loss, nodes === 2 ? 1 : 3);
    const { turns } = explored(within, {}, 6400, statesOf);
    expect([...turns].sort()).toEqual([
      '210000',
      '211000',
      '212000',
      '310000',
      '311000',
      '312000',
      '313000',
      '314000',
    ]);
  });

  it('lets only nodes that run crash, and only those restart that have crashed; what the user wants stays', () => {
    const within = levels({ crash: upTo(0, 4), restart: upTo(0, 4) });
    const { turns } = explored(within, { crash: 2, restart: 2 }, 1e6);
    const faults = turns.map((turn) => [Number(turn[4]), Number(turn[5])]);
    expect(faults).toContainEqual([3, 1]);
    for (const [crash = 0, restart = 0] of faults)
      expect([restart <= crash, crash <= 2 + restart]).toEqual([true, true]);
    expect(explored(levels({ nodes: [2, 3], crash: [5] }), { nodes: 2 }, 64).turns).toEqual([
      '210050',
      '310050',
    ]);
  });

  it('names the first size that it has not tried, also behind the last one', () => {
    const size = { nodes: 4, entries: largestSize, loss: 0, duplicate: 0, crash: 0, restart: 0 };
    const within = levels({ nodes: [2, 4, 8], entries: upTo(1, largestSize), loss: [0, 1] });
    expect(notTried(within, [{ size }])).toEqual([
      ['nodes', 8],
      ['entries', largestSize + 1],
      ['loss', 1],
    ]);
    expect(notTried(levels({ nodes: [2, 4] }), [{ size }])).toEqual([]);
  });

  it('knows which systems contain the others', () => {
    const size = (nodes: number, entries: number, loss: number) => ({
      size: { nodes, entries, loss, duplicate: 0, crash: 0, restart: 0 },
    });
    const [small, lossy, busy, large] = [
      size(2, 1, 0),
      size(2, 1, 1),
      size(2, 2, 0),
      size(3, 1, 0),
    ];
    expect(largestOf([small, lossy, busy, large])).toEqual([lossy, busy, large]);
  });
});

it('walks after a check without sizes go through one more node, and then through more faults', () => {
  const none = { loss: [0], duplicate: [0], crash: [0], restart: [0] };
  const levels = { nodes: [2, 3, 4], entries: [1, 2, 3, 4], ...none };
  const size = { nodes: 3, entries: 1, loss: 0, duplicate: 0, crash: 0, restart: 0 };
  const larger = { ...size, nodes: 4, entries: 3 };
  expect(walkedSizes(levels, [{ size }])).toEqual([larger, { ...size, entries: 3 }]);
  const failing = { ...levels, crash: [0, 1, 2, 3], restart: [0, 1, 2, 3], loss: [0, 1] };
  expect(walkedSizes(failing, [{ size }])).toEqual([
    larger,
    { ...size, entries: 3, loss: 1, crash: 2, restart: 2 },
  ]);
  const fixed = { ...failing, crash: [1], nodes: [3], entries: [1] };
  expect(walkedSizes(fixed, [{ size }])).toEqual([
    { ...size, crash: 1 },
    { ...size, loss: 1, crash: 1, restart: 1 },
  ]);
});
