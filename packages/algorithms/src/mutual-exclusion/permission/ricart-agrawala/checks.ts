import { defaultSystems } from '@conclave/core/mutation';
import { complete } from '@conclave/core/topology';
import { because, type Mutants } from '../../../checks.js';

export const mutants: Mutants = {
  'acknowledged=true': {
    systems: (protocol) => [
      ...defaultSystems(protocol, { topologies: [complete(2)] }),
      { topology: complete(2), budget: { crashes: 1 } },
      // Late answers: only one node enters, so that false alarms do no harm.
      { topology: complete(2), budget: { time: 'untimed', initiators: ['a'], commands: 2 } },
    ],
    reasons: {
      ...because(
        'Needs three nodes that want to enter: one in its critical section, one that waits for it, and one that inquires of the second',
        'unreached',
      ),
      'channels repeat':
        'A second copy gets the same answer as the first; in all explored systems this is harmless',
    },
  },
};
