import { type ExploreOptions, explore } from '@conclave/check';
import { increases, type Protocol, sometimes } from '@conclave/core/protocol';
import { needs, type Topology } from '@conclave/core/topology';
import { describe, expect, it } from 'vitest';
import type { SmallSystem } from '../contract/shared.contract.js';
import {
  type ExclusionContract,
  exclusionContract,
} from '../mutual-exclusion/mutual-exclusion.contract.js';

export interface LocalExclusionContract extends ExclusionContract {
  /** A system in which two nodes may be in their critical sections at once. */
  readonly apart: SmallSystem;
  /** The budget in which any two neighbours conflict. Default: every one. */
  readonly whole?: SmallSystem['budget'];
}

/**
 * The tests of every local-exclusion protocol. On a complete network it is a mutual-exclusion
 * protocol, and must look like one from outside.
 */
export function localExclusionContract(contract: LocalExclusionContract): void {
  const { protocol, topologies, apart } = contract;
  const complete = topologies.filter((topology) => needs.complete.refuses(topology) === undefined);
  exclusionContract('local exclusion', contract, complete);

  describe(`${protocol.id} ${protocol.name}: local exclusion`, () => {
    it('two nodes that do not conflict are in their critical sections at once', () => {
      const both = sometimes('two nodes are inside', (system) => system.count('critical') === 2);
      const found = explore(protocol, apart.topology, { ...apart.budget, properties: [both] });
      expect([found.complete, found.properties[0]?.verdict]).toEqual([true, 'reached']);
    });

    it('on a complete network where all neighbours conflict at most one node is inside, and each entry has a larger fencing token than every entry before it', () => {
      const topology = needs.complete.example(3);
      const { fence = () => 0 } = protocol;
      const found = explore(protocol, topology, {
        ...contract.whole,
        properties: [
          sometimes('two nodes are inside', (system) => system.count('critical') > 1),
          increases('tokens grow', (node) => (node.tags.has('critical') ? fence(node) : undefined)),
        ],
      });
      expect([
        found.complete,
        ...found.properties.slice(0, 2).map(({ verdict }) => verdict),
      ]).toEqual([true, 'unreached', 'holds']);
    });
  });
}

/**
 * For each two neighbours, whether each entry of one of them has a larger fencing token than every
 * entry of the two before it.
 */
export function fencedAlongEdges(
  protocol: Protocol,
  topology: Topology,
  budget: ExploreOptions,
): readonly string[] {
  const { fence = () => 0 } = protocol;
  const properties = topology.links
    .filter(({ from, to }) => from < to)
    .map(({ from, to }) =>
      increases(`${from}–${to}`, (node) =>
        [from, to].includes(node.id) && node.tags.has('critical') ? fence(node) : undefined,
      ),
    );
  const found = explore(protocol, topology, { ...budget, properties });
  expect(found.complete).toBe(true);
  return found.properties
    .slice(0, properties.length)
    .map(({ verdict, trace }) => (trace ? `${verdict} in ${trace.lines.length}` : verdict));
}
