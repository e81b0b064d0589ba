import { complete } from '@conclave/core/topology';
import { because, type Mutants } from '../../checks.js';

export const mutants: Mutants = {
  '': {
    systems: () => [
      { topology: complete(2), budget: { crashes: 1 } },
      { topology: complete(3), budget: { crashes: 2 } },
    ],
    parts: ['group'],
    reasons: {
      ...because(
        'A node is outside only after a restart, and waits there',
        'role.outside: elect *',
      ),
      ...because('Only a smaller newcomer ends a leadership, and here no node joins', 'unreached'),
    },
  },
};
