/**
 * What the explorer finds where a protocol with one token loses an assumption, and what a link
 * layer compensates.
 */
import { type ExploreOptions, explore } from '@conclave/check';
import { always, never, type Property, type Protocol } from '@conclave/core/protocol';
import type { Topology } from '@conclave/core/topology';
import { linesText, replay } from '@conclave/core/trace';
import { proof } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { propertyNamed } from '../../../contract/findings.js';
import { withoutSteps } from '../../../contract/mutant.js';
import { failingOverReliable } from '../../../contract/sweep.js';
import { type Counts, countOf } from './token-knowledge.js';

const names = {
  exclusion: 'at most one node is in the critical section',
  enters: 'every node that wants to enter eventually enters',
  token: 'there is exactly one token, in a node or on its way',
  handled: 'every message is handled or explicitly ignored',
  rest: 'no node waits in a quiescent state',
} as const;
type Name = keyof typeof names;

/**
 * The verdict of each property, a counterexample as `violated in 8` steps, and the steps
 * themselves. Each counterexample is replayed.
 */
export function withFaults(protocol: Protocol, topology: Topology, budget: ExploreOptions) {
  const { complete, states, properties } = explore(withoutSteps(protocol), topology, budget);
  expect(complete).toBe(true);
  const linesOf = (name: Name) => propertyNamed(properties, names[name]).trace?.lines ?? [];
  const shown = (name: Name) => {
    const { verdict, trace } = propertyNamed(properties, names[name]);
    if (verdict !== 'violated') return verdict;
    expect(trace && replay(protocol, topology, trace)).toEqual({ steps: linesOf(name).length });
    return `violated in ${linesOf(name).length}`;
  };
  const [exclusion, enters, token] = [shown('exclusion'), shown('enters'), shown('token')];
  return {
    found: { states, exclusion, enters, token, handled: shown('handled'), rest: shown('rest') },
    linesOf,
  };
}

/** The counterexample to one of those properties, as a page prints it. */
export const printed = (
  { linesOf }: Pick<ReturnType<typeof withFaults>, 'linesOf'>,
  name: Name,
): string => linesText(linesOf(name));

export function reliableLinkContract(protocol: Protocol, topology: Topology, seeds: number): void {
  proof('a reliable link layer compensates loss, duplication and reordering', () => {
    expect(failingOverReliable(protocol, topology, seeds)).toEqual([]);
  });
}

// For tests of tokens that record all entries.

/** Why the sum of the numbers is a fencing token. */
export const everyEntryCounted: Property = always(
  'the token records every entry so far',
  (system) => {
    const [owner] = system.tagged('token');
    const [sent] = system.inFlight('token').map(({ message }): unknown => message);
    // by the machines' types
    const { served } = (owner ? owner.context.token : sent) as { readonly served: Counts };
    return system.nodes.every(({ id, context, tags }) => {
      const requests = countOf(context.requested as Counts, id); // the same
      return countOf(served, id) === requests - (tags.has('waiting') ? 1 : 0);
    });
  },
);

// The fencing tokens of a token that counts entries, under each fault.

interface CountedToken {
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
