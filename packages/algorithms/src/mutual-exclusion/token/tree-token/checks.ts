import { chain } from '@conclave/core/topology';
import {
  type Mutants,
  type Run,
  run,
  runs,
  systemsOf,
  type Verified,
} from '../../../checks/checks.js';
import { onEach, pairs, smallGraphs, treesWithToken } from '../../../checks/networks.js';
import { treeToken } from './protocol.js';

/** A search overtakes an earlier one of the same node only where that node enters twice. */
const systems: Mutants[string]['systems'] = () => [
  { topology: chain(2), budget: { commands: 2 } },
  { topology: chain(3), budget: { commands: 2 } },
];

export const mutants: Mutants = {
  withoutOptions: { systems },
  'greedy=1': { systems, states: 30_000 },
};

export const verified: Verified = () =>
  systemsOf('A6 Token search on a tree', [
    runs(
      'the 125 trees of 5',
      'an entry for any two of them, any order',
      smallGraphs(5, 4).flatMap((tree) =>
        pairs(tree.nodes).map((initiators): Run => [treeToken(), tree, { initiators }]),
      ),
    ),
    runs('the 16 trees of 4', 'an entry each, any order', onEach(treeToken(), smallGraphs(4, 3))),
    run('chain of 4', '2 entries each, FIFO', treeToken(), chain(4), {
      commands: 2,
      order: 'fifo',
    }),
    run('chain of 5', 'an entry each, any order', treeToken(), chain(5)),
    runs(
      'the 9 trees of 5 nodes with the token anywhere',
      'an entry each, FIFO',
      onEach(treeToken(), treesWithToken(5), { order: 'fifo' }),
    ),
  ]);
