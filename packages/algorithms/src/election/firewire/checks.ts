import type { MutationSystem } from '@conclave/check';
import { chain, star } from '@conclave/core/topology';
import { type Mutants, runs, systemsOf, type Verified } from '../../checks/checks.js';
import { onEach, shapes, smallGraphs } from '../../checks/networks.js';
import { firewire } from './protocol.js';

/**
 * A node alone, a root with two children, a root that is a leaf, and a node with three neighbours.
 */
const systems = (): readonly MutationSystem[] => [
  { topology: chain(1) },
  { topology: chain(2), budget: { commands: 2 } },
  { topology: chain(3) },
  { topology: chain(4), budget: { initiators: ['b'] } },
  { topology: star(4), budget: { initiators: ['a', 'b'] } },
];

export const mutants: Mutants = {
  withoutOptions: { systems },
  'tieBreak=id': { systems },
};

export const verified: Verified = () =>
  systemsOf('B10 FireWire root election', [
    runs(
      'tieBreak id, the 16 trees of 4',
      'any node may start, FIFO',
      onEach(firewire({ tieBreak: 'id' }), smallGraphs(4, 3)),
    ),
    runs('the 3 trees of 5', 'any node may start, FIFO', onEach(firewire(), shapes(5))),
    runs(
      'the 6 trees of 6',
      'a given node starts, FIFO',
      shapes(6).map((tree) => [firewire(), tree, { initiators: tree.nodes.slice(0, 1) }]),
    ),
    runs(
      'tieBreak id, the 125 trees of 5',
      'any node may start, FIFO',
      onEach(firewire({ tieBreak: 'id' }), smallGraphs(5, 4)),
    ),
  ]);
