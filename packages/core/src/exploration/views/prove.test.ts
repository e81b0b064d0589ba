import { proof } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { explore } from '../explore/explore.js';
import { prove } from './prove.js';
import { exclusion, right, wrongAfterNine, wrongLater } from './wrong-later.contract.js';

const verdictOf = (protocol: Parameters<typeof prove>[0]) =>
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
