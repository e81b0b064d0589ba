/** How many rounds of contention by chance there are in exact time, as probabilities. */
import { type Expectation, expected } from '@conclave/core/exploration';
import { chain } from '@conclave/core/topology';
import { describe, expect, it } from 'vitest';
import { extremesOf } from '../../contract/fraction.contract.js';
import { firewire } from './protocol.js';

/** In each round of contention both nodes draw a wait. */
function contended(
  [least, most]: readonly [number, number],
  difference: number,
  rounds: number,
): Expectation {
  return expected(firewire({ pause: 1, short: 1, long: 1 + difference }), chain(2), {
    initiators: ['a'],
    time: { kind: 'exact', delay: [least, most], tick: 1 },
    ...{ cost: 'draws', within: 2 * rounds },
  });
}

describe.each([
  [1, 1],
  [0, 1],
] as const)('contention of firewire, with delays from %i to %i ms', (least, most) => {
  const delays = [least, most] as const;

  it('ends within j rounds with probability 1 − 2⁻ʲ, if waits differ by enough', () => {
    for (const [rounds, probability] of ['0', '1/2', '3/4'].entries()) {
      const { expectation, within } = contended(delays, 2 * most + 1, rounds);
      // there need be none: one node may ask before the other one is ready
      expect([extremesOf(within), extremesOf(expectation)]).toEqual([
        [probability, '1'],
        ['0', '4'],
      ]);
    }
  });
});

it('contention of firewire ends with probability 1 − (3/4)ʲ, if waits differ by less', () => {
  // the longer wait of the one can end with the shorter one of the other: two draws must be right
  for (const [rounds, probability] of ['0', '1/4', '7/16'].entries()) {
    const { expectation, within } = contended([0, 1], 2, rounds);
    expect([extremesOf(within), extremesOf(expectation)]).toEqual([
      [probability, '1'],
      ['0', '8'],
    ]);
  }
});
