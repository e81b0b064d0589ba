import { complete } from '@conclave/core/topology';
import { type Mutants, run, systemsOf, type Verified } from '../../checks/checks.js';
import { multipleEntries } from './protocol.js';

/** Two of three nodes request entry, once: with the usual two entries neither has to wait. */
const ofTwo = { topology: complete(3), budget: { initiators: ['a', 'b'] } };
const ofThree = { topology: complete(3), budget: {} };
/** Not of three nodes: these have too many states. */
const ofTwoTwice = { topology: complete(3), budget: { initiators: ['a', 'b'], commands: 2 } };

export const mutants: Mutants = {
  withoutOptions: { systems: () => [ofTwo, ofThree, ofTwoTwice], states: 100_000 },
  'cancel=true': { systems: () => [ofTwo] },
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
