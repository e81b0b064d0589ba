/**
 * What the explorer finds where a protocol with one token loses an assumption, and what a link
 * layer compensates.
 */
import { type ExploreOptions, explore } from '@conclave/core/exploration';
import type { Protocol } from '@conclave/core/protocol';
import type { Topology } from '@conclave/core/topology';
import { linesText, replay } from '@conclave/core/trace';
import { proof } from '@conclave/tools/sample';
import { expect } from 'vitest';
import { propertyNamed } from '../../../contract/findings.js';
import { withoutSteps } from '../../../contract/mutant.js';
import { failingOverReliable } from '../../../contract/sweep.js';

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
