import { complete } from '@conclave/core/topology';
import { type Mutants, run, systemsOf, type Verified } from '../../../checks/checks.js';
import { lamport } from './protocol.js';

export const mutants: Mutants = {
  // some show only where both nodes may request twice
  'cancel=true': { states: 50_000 },
};

export const verified: Verified = () =>
  systemsOf('A2 Lamport', [
    run('3 nodes', 'an entry each, FIFO', lamport, complete(3)),
    run('3 nodes', 'two of them enter twice, FIFO', lamport, complete(3), {
      commands: 2,
      initiators: ['a', 'b'],
    }),
  ]);
