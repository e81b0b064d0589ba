import { because, type Mutants } from '../../checks.js';
import { twoWayRings } from '../ring-checks.js';

export const mutants: Mutants = {
  '': {
    systems: twoWayRings,
    reasons: because(
      'The announcement may go around in either direction',
      'active: always #1 announce misdirect-send',
    ),
  },
};
