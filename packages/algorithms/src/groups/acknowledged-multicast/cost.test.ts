/**
 * What a multicast costs where messages are lost: the table of the page, and simulation beside it.
 */
import { readFileSync } from 'node:fs';
import { oneShot, simulate, totalMessages } from '@conclave/core/simulation';
import { complete } from '@conclave/core/topology';
import { proof, sampled } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import type { Command } from '../multicast.js';
import { delay, expectedMessages } from './expected-cost.contract.js';
import { acknowledgedMulticast } from './protocol.js';

const page = readFileSync(new URL('./README.md', import.meta.url), 'utf8');
const losses = [0, 0.05, 0.1, 0.2, 0.3];
const topology = complete(3);
const kinds = sampled(['first', 'silence', 'never'] as const, 1);
const expectations = new Map(
  kinds.map((relay) => [
    relay,
    expectedMessages(acknowledgedMulticast({ relay }), topology, 'a', losses),
  ]),
);
const expected = (relay: (typeof kinds)[number]): readonly number[] =>
  expectations.get(relay) ?? [];

describe('acknowledged-multicast cost with losses', () => {
  it('is expected as the table on the page says', () => {
    for (const relay of kinds) {
      const row = expected(relay).map((count) => count.toFixed(2));
      expect(page).toContain(`| \`${relay}\` | ${row.join(' | ')} |`);
    }
  });

  proof(
    'without relays follows the formula for rounds that are repeated until message and ACK arrive',
    () => {
      // 1 + 5 retransmissions
      const rounds = losses.map((loss) => (1 - (1 - (1 - loss) ** 2) ** 6) / (1 - loss) ** 2);
      const formula = rounds.map((count, index) => 2 * count * (1 + 1 - (losses[index] ?? 0)));
      for (const [index, count] of expected('never').entries())
        expect(count).toBeCloseTo(formula[index] ?? 0, 9);
    },
  );

  it.each(kinds)('is so in simulation, within three standard errors: relay %s', (relay) => {
    const protocol = acknowledgedMulticast({ relay });
    const workload = oneShot({ type: 'multicast', data: 'x' } satisfies Command as Command, {
      nodes: ['a'],
    });
    const [, , , fifth = 0] = expected(relay);
    const counts = Array.from({ length: 100 }, (_, seed) =>
      totalMessages(
        simulate({
          protocol,
          topology,
          workload,
          seed: seed + 1,
          conditions: { delay: { kind: 'fixed', ms: delay }, order: 'any', loss: 0.2 },
        }),
      ),
    );
    const mean = counts.reduce((sum, count) => sum + count, 0) / counts.length;
    const deviation = Math.sqrt(
      counts.reduce((sum, count) => sum + (count - mean) ** 2, 0) / (counts.length - 1),
    );
    expect(Math.abs(mean - fifth)).toBeLessThan((3 * deviation) / Math.sqrt(counts.length));
  });
});
