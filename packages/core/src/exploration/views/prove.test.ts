import { proof } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import type { Protocol } from '../../protocol/protocol.js';
import { explore } from '../explore/explore.js';
import { countsHops, countsWrong } from './growing.contract.js';
import { prove } from './prove.js';
import {
  exclusion,
  oneToken,
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
  void isQuick;
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

  proof.each(Object.entries(wrongFar))('%s: not proved', (_, protocol) => {
    expect(verdictOf(protocol)).toMatchObject({ verdict: 'not proved' });
  });

  proof.each([
    ['40', ({ context }: Guarded) => context.keeper.length > 40],
    ["'k'", ({ context }: Guarded) => context.keeper === 'k'],
  ])('does not prove what has %s in its source', (what, guard) => {
    expect(verdictOf(withGuard(guard))).toMatchObject({
      verdict: 'not proved',
      reason: expect.stringContaining(`of role 'client' has ${what}`),
    });
  });

  proof('proves no property that speaks of more nodes than views have', () => {
    const { properties } = prove(right['a keeper'] as Protocol, { properties: wide }); // it is there
    expect(properties.slice(0, wide.length)).toEqual(
      wide.map(({ name }) => expect.objectContaining({ name, verdict: 'not proved' })),
    );
  });

  proof('forgets no number on which a step depends', () => {
    expect(verdictOf(wrongAfterNine)).toMatchObject({
      verdict: 'not proved',
      reason: expect.stringMatching(/./),
    });
  });

  proof('a number that grows and decides something is guessed in each step', () => {
    const { properties, assumptions } = prove(countsHops);
    expect(properties.find(({ name }) => name === exclusion)?.verdict).toBe('holds for every n');
    expect(assumptions).toContain(
      'node.last, token.hops may have any values in each step: it was repeated with many, and has no other outcome than with these',
    );
  });

  proof.each(Object.entries(countsWrong))('%s: not proved', (_, [protocol, n]) => {
    expect(verdictOf(protocol)?.verdict).toBe('not proved');
    const isViolated = [n - 1, n].map((nodes) => {
      const { properties } = explore(protocol, protocol.topology.example(nodes), {
        initiators: ['b', 'd'],
        limits: { states: 5_000 },
      });
      return properties.find(({ name }) => name === exclusion)?.verdict === 'violated';
    });
    expect(isViolated).toEqual([false, true]);
  });

  it.each([
    ['a token', right['a token'], 'holds for every n'],
    ['a second token', wrongLater['a second token at the sixth node']?.[0], 'not proved'],
    ['a token that doubles', wrongLater['a token that doubles after 5 hops']?.[0], 'not proved'],
    ['a token that may be dropped', countsHops, 'not proved'],
  ])('what each step keeps is counted: %s', (what, protocol, verdict) => {
    proofUnless(what === 'a second token');
    const [found] = prove(protocol as Protocol, { properties: [oneToken] }).properties;
    expect(found?.verdict).toBe(verdict);
  });

  proof('the protocols that are not proved are right in small networks, and then wrong', () => {
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
