/** Examples whose values are known. */
import { expect, it } from 'vitest';
import type { Extreme } from './decision-process.js';
import { expectedCost } from './expected-cost.js';
import { type Branch, type PlainProcess, processOf } from './plain-solver.contract.js';
import { probabilityWithin } from './probability-within.js';
import { answer } from './random-process.contract.js';
import { reachProbability } from './reach-probability.js';

const to = (state: number, weight = 1, cost = 1): Branch => ({ to: state, weight, cost });

/** Least and greatest, if they are not the same. */
function both(ask: (extreme: Extreme) => string): string {
  const [least, greatest] = [ask('least'), ask('greatest')];
  return least === greatest ? least : `${least} … ${greatest}`;
}

const asked = (plain: PlainProcess, goals: readonly number[], initial = 0) => {
  const process = processOf(plain);
  const goal = Uint8Array.from(plain, (_, state) => (goals.includes(state) ? 1 : 0));
  const question = (extreme: Extreme) => ({ goal, extreme, initial });
  return {
    cost: both((extreme) => answer(expectedCost(process, question(extreme)))),
    probability: both((extreme) => answer(reachProbability(process, question(extreme)))),
    within: (most: number) =>
      both((extreme) => answer(probabilityWithin(process, { ...question(extreme), most }))),
  };
};

it("the gambler's ruin", () => {
  const plain = Array.from({ length: 11 }, (_, money) =>
    money % 10 === 0 ? [] : [[to(money - 1), to(money + 1)]],
  );
  expect(asked(plain, [10], 3).probability).toBe('3/10');
  expect(asked(plain, [0, 10], 3).cost).toBe('21');
  expect(asked(plain, [10], 3).cost).toBe('infinite');
});

it.each([
  [5, '137/12'],
  [10, '7381/252'],
])('the collector of %i coupons needs n · H(n)', (count, expected) => {
  const plain = Array.from({ length: count + 1 }, (_, has) =>
    has === count ? [] : [[to(has + 1, count - has), ...(has > 0 ? [to(has, has)] : [])]],
  );
  expect(asked(plain, [count]).cost).toBe(expected);
});

it('a fair coin from one that shows heads in one of three throws', () => {
  const plain = [[[to(1), to(2, 2)]], [[to(0), to(3, 2)]], [[to(4), to(0, 2)]], [], []];
  expect(asked(plain, [3]).probability).toBe('1/2');
  expect(asked(plain, [3, 4]).cost).toBe('9/2');
});

it('a die from coins (Knuth & Yao)', () => {
  const die = [7, 8, 9, 10, 11, 12];
  const coins = [
    [1, 2],
    [3, 4],
    [5, 6],
    [1, 7],
    [8, 9],
    [10, 11],
    [12, 2],
  ];
  const plain = [...coins.map((sides) => [sides.map((state) => to(state))]), ...die.map(() => [])];
  for (const side of die) expect(asked(plain, [side]).probability).toBe('1/6');
  expect(asked(plain, die).cost).toBe('11/3');
  expect(asked(plain, die).within(3)).toBe('3/4');
  expect(asked(plain, die).within(2)).toBe('0');
});

it('a cycle that costs nothing: value iteration from 0 would stay there', () => {
  const plain = [[[to(1, 1, 0)]], [[to(0, 1, 0)], [to(2, 1, 5)]], []];
  expect(asked(plain, [2]).cost).toBe('5 … infinite');
  expect(asked(plain, [2]).probability).toBe('0 … 1');
});

it('an end component of which the greatest probability would prove itself', () => {
  const plain = [[[to(1)]], [[to(0)], [to(2, 1), to(3, 2)]], [], []];
  expect(asked(plain, [2]).probability).toBe('0 … 1/3');
});

it('so many heads in a row that value iteration stops long before', () => {
  const heads = (count: number) =>
    Array.from({ length: count + 1 }, (_, has) => (has === count ? [] : [[to(has + 1), to(0)]]));
  for (const count of [10, 60, 200])
    expect(asked(heads(count), [count]).cost).toBe(`${2n ** BigInt(count + 1) - 2n}`);
});

it('two sides of equal length (Haddad & Monmege): each is reached with probability 1/2', () => {
  const side = 120;
  const plain = Array.from({ length: 2 * side + 1 }, (_, state) => {
    if (state === 0) return [[to(1), to(side + 1)]];
    return state % side === 0 ? [] : [[to(state + 1), to(0)]];
  });
  expect(asked(plain, [side]).probability).toBe('1/2');
  expect(asked(plain, [side, 2 * side]).probability).toBe('1');
});

it('k throws for heads suffice with probability 1 − 2^−k', () => {
  const plain = [[[to(1), to(0)]], []];
  for (const most of [0, 1, 2, 10])
    expect(asked(plain, [1]).within(most)).toBe(most === 0 ? '0' : `${2 ** most - 1}/${2 ** most}`);
});

it('a scheduler that knows what is left takes the fast risk or the slow way', () => {
  const plain = [[[to(1, 1, 1), to(2, 1, 1)], [to(1, 1, 3)]], [], [[to(1, 1, 9)]]];
  expect([1, 2, 3, 10].map(asked(plain, [1]).within)).toEqual([
    '0 … 1/2',
    '0 … 1/2',
    '1/2 … 1',
    '1',
  ]);
});

it('a goal at the start', () => {
  const plain = [[[to(0)]]];
  expect(asked(plain, [0])).toMatchObject({ cost: '0', probability: '1' });
  expect(asked(plain, [0]).within(0)).toBe('1');
});

it('refuses a process that makes no sense', () => {
  const ask = (plain: PlainProcess) => () => asked(plain, [0]).cost;
  expect(ask([[[to(0, 0.5)]]])).toThrow(
    'The weight 0.5 of branch 0 is not a positive whole number. Multiply the weights',
  );
  expect(ask([[[to(0, 1, -1)]]])).toThrow('The cost -1 of branch 0');
  expect(ask([[[]]])).toThrow('Choice 0 of the decision process has no branches');
  expect(() => asked([[]], [0]).within(0.5)).toThrow('The cost 0.5 is not a whole number');
});
