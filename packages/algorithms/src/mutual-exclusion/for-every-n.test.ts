import { explore, prove } from '@conclave/core/exploration';
import { mutantsOf } from '@conclave/core/internal/mutation';
import type { Protocol } from '@conclave/core/protocol';
import { leftToVerify, proof } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { centralCoordinator } from './central/central-coordinator/protocol.js';
import { exclusion, handled } from './outcome.contract.js';
import { tokenRing } from './token/token-ring/protocol.js';

const provedOf = (protocol: Protocol): readonly string[] =>
  prove(protocol).properties.flatMap(({ name, verdict }) =>
    verdict === 'holds for every n' ? [name] : [],
  );

/** Those of docs/for-every-n.md. */
const proved: Readonly<Record<string, Protocol>> = {
  A1: centralCoordinator(),
  'A1, cancel': centralCoordinator({ cancel: true }),
  A11: tokenRing(),
};

describe('for every n', () => {
  it.each(Object.entries(proved))('%s: exclusion, and every message is handled', (_, protocol) => {
    proof();
    expect(provedOf(protocol)).toEqual(expect.arrayContaining([exclusion, handled]));
  });

  const parts = Array.from({ length: 8 }, (_, part) => part);
  it.each(['A1', 'A11'].flatMap((id) => parts.map((part) => [id, part] as const)))(
    '%s: no mutant is proved that fails on five nodes, part %i',
    (id, part) => {
      leftToVerify();
      const protocol = proved[id] as Protocol; // it is there
      const mutants = mutantsOf(protocol).filter((_, index) => index % parts.length === part);
      const wrong = mutants.flatMap((mutant) => {
        if (!provedIfComplete(mutant.protocol).includes(exclusion)) return [];
        const { properties } = explore(mutant.protocol, protocol.topology.example(5), {
          limits: { states: 20_000 },
        });
        const { verdict } = properties.find(({ name }) => name === exclusion) ?? {};
        return verdict === 'violated' ? [mutant.id] : [];
      });
      expect(wrong).toEqual([]);
    },
  );
});

/** Of a mutant: one that lacks a tag of a property, or never ends a step, is refused. */
function provedIfComplete(protocol: Protocol): readonly string[] {
  try {
    return provedOf(protocol);
  } catch (error) {
    expect(String(error)).toMatch(/carries the tag|Infinite loop/);
    return [];
  }
}
