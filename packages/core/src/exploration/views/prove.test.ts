import { proof } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import type { Protocol } from '../../protocol/protocol.js';
import { explore } from '../explore/explore.js';
import { prove } from './prove.js';
import {
  exclusion,
  right,
  wide,
  withGuard,
  wrongAfterNine,
  wrongFar,
  wrongLater,
} from './wrong-later.contract.js';

type Guarded = Parameters<Parameters<typeof withGuard>[0]>[0];

const verdictOf = (protocol: Protocol) =>
  prove(protocol).properties.find(({ name }) => name === exclusion);

/** Those that take more than a second are proofs. */
const quick = new Set(['a token', 'a second token at the sixth node']);
const proofUnless = (isQuick: boolean) => {
  if (!isQuick) proof();
};

describe('prove', () => {
  it.each(Object.entries(right))('%s: holds for every n', (what, protocol) => {
    proofUnless(quick.has(what));
    expect(verdictOf(protocol)).toEqual({ name: exclusion, verdict: 'holds for every n' });
  });

  it.each(Object.entries(wrongLater))('%s: not proved', (what, [protocol]) => {
    proofUnless(quick.has(what));
    expect(verdictOf(protocol)).toMatchObject({
      verdict: 'not proved',
      reason: expect.stringMatching(/./),
    });
  });

  it.each(Object.entries(wrongFar))('%s: not proved', (_, protocol) => {
    proof();
    expect(verdictOf(protocol)).toMatchObject({ verdict: 'not proved' });
  });

  it.each([
    ['40', ({ context }: Guarded) => context.keeper.length > 40],
    ["'k'", ({ context }: Guarded) => context.keeper === 'k'],
  ])('does not prove what has %s in its source', (what, guard) => {
    proof();
    expect(verdictOf(withGuard(guard))).toMatchObject({
      verdict: 'not proved',
      reason: expect.stringContaining(`of role 'client' has ${what}`),
    });
  });

  it('proves no property that speaks of more nodes than views have', () => {
    proof();
    const { properties } = prove(right['a keeper'] as Protocol, { properties: wide }); // it is there
    expect(properties.slice(0, wide.length)).toEqual(
      wide.map(({ name }) => expect.objectContaining({ name, verdict: 'not proved' })),
    );
  });

  it('forgets no number on which a step depends', () => {
    expect(verdictOf(wrongAfterNine)).toMatchObject({
      verdict: 'not proved',
      reason: expect.stringContaining("the number 'keeper.count' grows"),
    });
  });

  it('the protocols that are not proved are right in small networks, and then wrong', () => {
    proof();
    for (const [what, [protocol, n, initiators]] of Object.entries(wrongLater)) {
      const found = [n - 1, n].map((nodes) => {
        const { properties } = explore(protocol, protocol.topology.example(nodes), {
          ...(initiators ? { initiators } : {}),
          limits: { states: 500_000 },
        });
        return properties.find(({ name }) => name === exclusion)?.verdict;
      });
      expect([what, ...found]).toEqual([what, 'holds', 'violated']);
    }
  });
});
