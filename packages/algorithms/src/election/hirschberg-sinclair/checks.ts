import { ring } from '@conclave/core/topology';
import { because, type Mutants } from '../../checks.js';
import { twoWayRings } from '../ring-checks.js';

export const mutants: Mutants = {
  '': {
    systems: (protocol) => [
      ...twoWayRings(protocol).slice(0, 2),
      // On six nodes an id of phase 2 meets a sleeping node, and a candidate, that is not its last
      // one.
      {
        topology: ring(['a', 'f', 'b', 'c', 'e', 'd'], { oneWay: false }),
        budget: { initiators: ['c', 'f'], order: 'fifo' },
      },
    ],
    reasons: because(
      'The announcement may go around in either direction',
      'candidate: election #2 announce misdirect-send',
    ),
  },
};
