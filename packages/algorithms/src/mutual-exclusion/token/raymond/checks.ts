import { chain } from '@conclave/core/topology';
import { type Mutants, runs, systemsOf, type Verified } from '../../../checks/checks.js';
import { onEach, treesWithToken } from '../../../checks/networks.js';
import { raymond } from './protocol.js';

/**
 * In a chain of four a node may request the token for a node that requests it for another one: then
 * a token and a request arrive together.
 */
const trees: Mutants[string]['systems'] = () => [
  { topology: chain(2), budget: { commands: 2 } },
  { topology: chain(3), budget: { commands: 2 } },
  { topology: chain(4), budget: { commands: 1 } },
];

export const mutants: Mutants = {
  'piggyback=true': { systems: trees },
  'greedy=1': { systems: trees },
};

const nine = 'the 9 trees of 5 nodes with the token anywhere';

export const verified: Verified = () =>
  systemsOf('A7 Raymond', [
    runs(nine, '2 entries each, any order', onEach(raymond(), treesWithToken(5), { commands: 2 })),
    runs(
      nine,
      '2 entries each, FIFO',
      onEach(raymond(), treesWithToken(5), { commands: 2, order: 'fifo' }),
    ),
    runs(
      nine,
      'piggyback, 2 entries each, any order',
      onEach(raymond({ piggyback: true }), treesWithToken(5), { commands: 2 }),
    ),
    runs(
      nine,
      'greedy 1, 2 entries each, any order',
      onEach(raymond({ greedy: 1 }), treesWithToken(5), { commands: 2 }),
    ),
    runs(
      nine,
      'piggyback, greedy 1, 2 entries each, any order',
      onEach(raymond({ piggyback: true, greedy: 1 }), treesWithToken(5), { commands: 2 }),
    ),
    runs(
      nine,
      'each node may cancel, a request each, any order',
      onEach(raymond({ cancel: true }), treesWithToken(5)),
    ),
  ]);
