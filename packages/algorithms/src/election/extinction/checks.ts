import { defaultSystems } from '@conclave/core/mutation';
import { complete } from '@conclave/core/topology';
import type { Mutants } from '../../checks.js';

export const mutants: Mutants = {
  '': {
    reasons: {
      'channels repeat':
        'A duplicate does no harm: a node ignores an id that is not larger than all that it knows.',
    },
  },
  'terminating=true': {
    // Two explorers cross in a triangle.
    systems: (protocol) => [
      ...defaultSystems(protocol),
      { topology: complete(3), budget: { initiators: ['a', 'b'] } },
    ],
  },
};
