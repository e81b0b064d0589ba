import { type ExploreOptions, explore } from '@conclave/core/exploration';
import { ConclaveError } from '@conclave/core/protocol';
import { simulate } from '@conclave/core/simulation';
import { complete } from '@conclave/core/topology';
import { proof } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { protocolOf } from '../../../catalogue.js';
import type { QuorumKind } from '../building-blocks/quorum-sets.js';
import { maekawa } from './protocol.js';

describe('maekawa quorums', () => {
  proof.each([
    ['grid', 3, { commands: 2 }, 29_276],
    ['grid', 5, { initiators: ['c', 'd', 'e'] }, 7_114],
    ['majority', 4, { initiators: ['b', 'c', 'd'] }, 10_463],
    ['majority', 5, { initiators: ['a', 'b', 'c'] }, 8_263],
  ] satisfies [QuorumKind, number, ExploreOptions, number][])(
    'have all properties in every interleaving: %s of %i, %o',
    (quorums, n, budget, states) => {
      const found = explore(maekawa({ quorums }), complete(n), budget);
      expect(found).toMatchObject({ complete: true, states });
      for (const { kind, verdict } of found.properties)
        expect(verdict).toBe(kind === 'sometimes' ? 'reached' : 'holds');
    },
  );

  it('plane needs a number of nodes with a known plane', () => {
    const protocol = maekawa({ quorums: 'plane' });
    expect([2, 4, 12, 13, 20].map((n) => protocol.topology.example(n).nodes.length)).toEqual([
      3, 3, 7, 13, 13,
    ]);
    expect(simulate({ protocol, topology: complete(13) }).complete).toBe(true);
    expect(() => simulate({ protocol, topology: complete(12) })).toThrow(
      /^Maekawa needs a complete network; in 'complete:12' there is no known projective plane for 12 nodes, only for 3, 7, 13, 21, 31, 57 …\. Try complete:7\./,
    );
  });

  it('of an unknown kind are refused', () => {
    const attempt = () => protocolOf('A12', { quorums: 'tree' });
    expect(attempt).toThrow(ConclaveError);
    expect(attempt).toThrow(
      "maekawa: quorums is 'tree'. Give one of 'best', 'plane', 'grid', 'majority'.",
    );
  });
});
