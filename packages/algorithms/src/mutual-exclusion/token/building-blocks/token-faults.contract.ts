/**
 * What the explorer finds where a protocol with one token loses an assumption, and what a link
 * layer compensates.
 */
import { type ExploreOptions, explore } from '@conclave/check';
import { always, never, type Property, type Protocol } from '@conclave/core/protocol';
import type { Topology } from '@conclave/core/topology';
import { replay } from '@conclave/core/trace';
import { proof } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { failingOverReliable } from '../../../contract/sweep.contract.js';
import {
  entry,
  everyMessageHandled,
  exclusion,
  outcomeOf,
  quiescence,
} from '../../outcome.contract.js';
import { type Counts, countOf } from './token.js';

const names = {
  exclusion,
  enters: entry,
  token: 'there is exactly one token, in a node or on its way',
  handled: everyMessageHandled,
  rest: quiescence,
} as const;

/**
 * The verdict of each of those properties and of `more` ones, a counterexample as `violated in 8`
 * steps, and its text as a page prints it.
 */
export function withFaults<Name extends string = never>(
  protocol: Protocol,
  topology: Topology,
  budget: ExploreOptions,
  more: Readonly<Record<Name, string>> = {} as Record<Name, string>,
) {
  const { states, verdicts, traces } = outcomeOf(protocol, topology, budget);
  const all: Readonly<Record<string, string>> = { ...names, ...more };
  const found = Object.entries(all).map(([short, name]) => [short, verdicts[name]]);
  return {
    found: { states, ...Object.fromEntries(found) },
    text: (name: keyof typeof names | Name): string => traces[all[name] ?? ''] ?? '',
  };
}

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
