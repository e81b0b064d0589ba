import { star, topology, tree } from '@conclave/core/topology';
import { type Mutants, type Run, runs, systemsOf, type Verified } from '../../checks/checks.js';
import { onEach, smallGraphs, treesWithLargest, withAnyInitiators } from '../../checks/networks.js';
import { treeWave } from './protocol.js';

export const mutants: Mutants = {
  withoutOptions: {
    // A node by itself. One initiator, so the others must be woken: an inner node, and a leaf.
    systems: () => [
      { topology: topology('edges:a'), budget: {} },
      { topology: tree(2, 5), budget: { initiators: ['a'] } },
      { topology: tree(2, 4), budget: { initiators: ['d'] } },
      { topology: tree(2, 3), budget: { commands: 2 } },
      { topology: star(4), budget: {} },
    ],
  },
};

export const verified: Verified = () =>
  systemsOf('B9 Tree election by waves', [
    runs(
      'the 16 trees of 4',
      'any set of initiators, any order',
      withAnyInitiators(treeWave, smallGraphs(4, 3)),
    ),
    runs(
      'the 9 trees of 5 nodes with the largest id anywhere',
      'any set of initiators, any order',
      withAnyInitiators(treeWave, treesWithLargest(5)),
    ),
    runs(
      'the 20 trees of 6 nodes with the largest id anywhere',
      'one initiator, any order',
      treesWithLargest(6).flatMap((tree) =>
        tree.nodes.map((id): Run => [treeWave, tree, { initiators: [id] }]),
      ),
    ),
    runs(
      'the 20 trees of 6 nodes with the largest id anywhere',
      'all start, any order',
      onEach(treeWave, treesWithLargest(6)),
    ),
  ]);
