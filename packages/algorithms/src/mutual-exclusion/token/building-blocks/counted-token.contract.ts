/** What becomes of the fencing tokens of a token that counts the entries it has let in, under each fault. */
import { type Budget, explore } from '@conclave/core/exploration';
import { never, type Protocol } from '@conclave/core/protocol';
import type { Topology } from '@conclave/core/topology';
import { replay } from '@conclave/core/trace';
import { describe, expect, it } from 'vitest';

export interface CountedToken {
  readonly topology: Topology;
  readonly budget?: Budget;
  /** How many steps lead to two nodes inside with the same number: where a message comes twice, and where a node starts again. */
  readonly doubled: number;
  readonly restarted: number;
}

const sameNumber = never(
  'two are inside with the same fencing token',
  (system) => system.distinct('critical', 'entries').length < system.count('critical'),
);

export function countedTokenContract(protocol: Protocol, { topology, budget = {}, doubled, restarted }: CountedToken): void {
  const found = (faults: Budget) =>
    explore(protocol, topology, {
      ...budget,
      ...faults,
      properties: [...protocol.properties.filter(({ kind }) => kind === 'increases'), sameNumber],
    });

  describe(`${protocol.name} fencing`, () => {
    it.each([{ losses: 1 }, { crashes: 1 }])('the numbers still grow with %o: whoever enters has the only count', (faults) => {
      const { complete, properties } = found(faults);
      expect([complete, ...properties.slice(0, 2).map(({ verdict }) => verdict)]).toEqual([true, 'holds', 'holds']);
    });

    it.each([
      ['a message that comes twice', { duplications: 1 }, doubled],
      ['the first holder, where it starts again,', { crashes: 1, restarts: 1 }, restarted],
    ] as const)('%s makes a second token with the same count', (_what, faults, steps) => {
      const { verdict, trace } = found(faults).properties[1] ?? {};
      expect([verdict, trace?.lines.length]).toEqual(['violated', steps]);
      expect(trace && replay(protocol, topology, trace)).toEqual({ steps });
    });
  });
}
