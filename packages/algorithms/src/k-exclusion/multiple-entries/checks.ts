import { complete } from '@conclave/core/topology';
import { type Mutants, run, systemsOf, type Verified } from '../../checks/checks.js';
import { multipleEntries } from './protocol.js';

/** Two nodes enter at once without a reply; of three that enter twice there are too many states. */
const few = [
  { topology: complete(3), budget: { initiators: ['a', 'b'] } },
  { topology: complete(3), budget: {} },
];
const twice = { topology: complete(3), budget: { initiators: ['a', 'b'], commands: 2 } };

export const mutants: Mutants = {
  withoutOptions: { systems: () => [...few, twice], states: 100_000 },
  'cancel=true': { systems: () => few.slice(0, 1) },
};

export const verified: Verified = () =>
  systemsOf('A20 Raymond’s multiple entries', [
    run('3 nodes', '2 entries each, FIFO', multipleEntries(), complete(3), {
      commands: 2,
      order: 'fifo',
    }),
    run('3 nodes', 'two of them enter 3 times, any order', multipleEntries(), complete(3), {
      commands: 3,
      initiators: ['a', 'b'],
    }),
  ]);
