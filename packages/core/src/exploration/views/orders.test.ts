import { assertRuns, proof } from '@conclave/tools/sample';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { simulate } from '../../simulation/simulate.js';
import { closedLoop } from '../../simulation/workload.js';
import { explore } from '../explore/explore.js';
import { prove } from './prove.js';
import { merges, spacings } from './weak-orders.js';
import { exclusion } from './wrong-later.contract.js';
import { byTimeStamps, wrongInLarger, wrongNumbers } from './wrong-orders.contract.js';

const ranked = (values: readonly number[]): readonly number[] => {
  const sorted = [...new Set(values)].sort((one, other) => one - other);
  return values.map((value) => sorted.indexOf(value));
};

describe('orders of numbers', () => {
  it('two orders are put together in all ways', () => {
    // Delannoy's numbers
    expect([merges(1, 1), merges(2, 2), merges(3, 3)].map(({ length }) => length)).toEqual([
      3, 13, 63,
    ]);
    expect(merges(2, 1, [[1, 0]])).toEqual([{ one: [0, 1], other: [1], ranks: 2 }]);
    expect(
      merges(2, 2, [
        [0, 1],
        [1, 0],
      ]),
    ).toEqual([]);
  });

  it('each order of numbers, some of which have grown by one, is among those that are tried', () => {
    const numbers = fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 1, maxLength: 5 });
    assertRuns(
      fc.property(numbers, fc.array(fc.boolean(), { maxLength: 5 }), (values, isGrown) => {
        const grownFrom = (of: readonly number[]) =>
          ranked([...of, ...of.map((value, index) => value + Number(isGrown[index] ?? false))]);
        const ranks = ranked(values);
        const grown = new Set(ranks.filter((_, index) => isGrown[index]));
        const tried = spacings(new Set(ranks).size, grown).map((spaced) =>
          grownFrom(ranks.map((rank) => spaced[rank] ?? 0)),
        );
        expect(tried).toContainEqual(grownFrom(values));
      }),
      25,
      1000,
    );
  });
});

const verdictIn = (found: readonly { readonly name: string; readonly verdict: string }[]) =>
  found.find(({ name }) => name === exclusion)?.verdict;

describe('prove, where only the order of numbers matters', () => {
  proof('time stamps: holds for every n', () => {
    const { properties, assumptions } = prove(byTimeStamps);
    expect(properties.map(({ verdict }) => verdict)).toEqual(
      properties.map(() => 'holds for every n'),
    );
    expect(assumptions).toContainEqual(
      expect.stringContaining('of node.clock, node.requestedAt, request.ts only the order matters'),
    );
  });

  proof.each(Object.entries(wrongInLarger))('%s: not proved', (_, [protocol, n]) => {
    const isViolated = [n - 1, n].map((nodes) =>
      Array.from({ length: 100 }, (_, seed) =>
        simulate({
          protocol,
          topology: protocol.topology.example(nodes),
          workload: closedLoop({ entries: 12, think: { kind: 'uniform', least: 0, most: 50 } }),
          conditions: { order: 'any', delay: { kind: 'uniform', least: 1, most: 30 } },
          seed: seed + 1,
        }),
      ).some(({ properties }) => verdictIn(properties) === 'violated'),
    );
    expect(isViolated).toEqual([false, true]);
    expect(verdictIn(prove(protocol).properties)).toBe('not proved');
  });

  proof.each(Object.entries(wrongNumbers))('%s: not proved', (_, [protocol, n, most]) => {
    const found = [most - 1, most].map((commands) => {
      const limits = { states: 400_000 };
      return explore(protocol, protocol.topology.example(n), { commands, limits }).properties;
    });
    expect(found.map((properties) => verdictIn(properties) === 'violated')).toEqual([false, true]);
    expect(verdictIn(prove(protocol).properties)).toBe('not proved');
  });
});
