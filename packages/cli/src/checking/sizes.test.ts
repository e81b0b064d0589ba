/** The systems that a check without sizes may try, of each protocol of the catalogue. */
import { acknowledgedMulticast, catalogue } from '@conclave/algorithms';
import { faults } from '@conclave/core/internal';
import { describe, expect, it } from 'vitest';
import { budgetFor, warningsOf } from '../input/environment.js';
import { dimensions, type Size, walkedSizes } from './schedule.js';
import { levelsOf, raisedOptions } from './sizes.js';

const variants = catalogue.flatMap(({ id, make, charted = [] }) =>
  [{}, ...charted].map((options) => [`${id} ${JSON.stringify(options)}`, make(options)] as const),
);

describe('a check without sizes', () => {
  it.each(variants)('of %s stays within what the protocol tolerates', (_name, protocol) => {
    const levels = levelsOf({ protocol, options: {} });
    const largest = Object.fromEntries(
      dimensions.map((dimension) => [dimension, Math.max(...levels[dimension])]),
    ) as Size;
    const { channels, tolerates = [] } = protocol;
    expect(largest.loss).toBeLessThanOrEqual(faults.tolerated(protocol, 'losses'));
    expect(largest.duplicate > 0).toBe(channels.duplication);
    expect(largest.crash > 0).toBe(tolerates.includes('crash'));
    expect(largest.restart > 0).toBe(tolerates.includes('restart'));
    for (const size of [largest, ...walkedSizes(levels, [{ size: largest }])]) {
      expect(warningsOf(protocol, budgetFor(protocol, raisedOptions(levels, size)))).toEqual([]);
      expect(size.loss).toBeLessThanOrEqual(largest.loss);
    }
  });

  it('loses no more messages than a member sends again', () => {
    const lossesOf = (retransmissions: number) =>
      levelsOf({ protocol: acknowledgedMulticast({ retransmissions }), options: {} }).loss;
    expect([0, 1, 3].map(lossesOf)).toEqual([[0], [0, 1], [0, 1, 2, 3]]);
  });
});
