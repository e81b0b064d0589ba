/** The fencing tokens of a token that counts entries, under each fault. */
import { type ExploreOptions, explore } from '@conclave/core/exploration';
import { never, type Protocol } from '@conclave/core/protocol';
import type { Topology } from '@conclave/core/topology';
import { replay } from '@conclave/core/trace';
import { describe, expect, it } from 'vitest';

export interface CountedToken {
  readonly topology: Topology;
  readonly budget?: ExploreOptions;
  /**
   * The number of steps to two nodes in the critical section with the same number: with a
   * duplicated message, and with a restart.
   */
  readonly duplicated: number;
  readonly restarted: number;
}

const sameNumber = never(
  'two nodes are in the critical section with the same fencing token',
  (system) => system.distinct('critical', 'entries').length < system.count('critical'),
);

export function countedTokenContract(
  protocol: Protocol,
  { topology, budget = {}, duplicated, restarted }: CountedToken,
): void {
  const found = (faults: ExploreOptions) =>
    explore(protocol, topology, {
      ...budget,
      ...faults,
      properties: [...protocol.properties.filter(({ kind }) => kind === 'increases'), sameNumber],
    });

  describe(`${protocol.name} fencing`, () => {
    it.each([{ losses: 1 }, { crashes: 1 }])(
      'the numbers still grow with %o: there is one count',
      (faults) => {
        const { complete, properties } = found(faults);
        expect([complete, ...properties.slice(0, 2).map(({ verdict }) => verdict)]).toEqual([
          true,
          'holds',
          'holds',
        ]);
      },
    );

    it.each([
      ['a message that arrives twice', { duplications: 1 }, duplicated],
      ['the first holder that restarts', { crashes: 1, restarts: 1 }, restarted],
    ] as const)('%s makes a second token with the same count', (_what, faults, steps) => {
      const { verdict, trace } = found(faults).properties[1] ?? {};
      expect([verdict, trace?.lines.length]).toEqual(['violated', steps]);
      expect(trace && replay(protocol, topology, trace)).toEqual({ steps });
    });
  });
}
