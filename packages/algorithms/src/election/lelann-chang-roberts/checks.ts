import { topology } from '@conclave/core/topology';
import { run, runs, systemsOf, type Verified } from '../../checks/checks.js';
import { falling, onEach, rings, rising, withAnyInitiators } from '../../checks/networks.js';
import { lelannChangRoberts } from './protocol.js';

export { ringMutants as mutants } from '../../checks/networks.js';

export const verified: Verified = () =>
  systemsOf('B3 LeLann–Chang–Roberts', [
    runs(
      'the 24 rings of 5',
      'any set of initiators, any order',
      withAnyInitiators(lelannChangRoberts, rings(5)),
    ),
    runs(
      'the 120 rings of 6',
      'any node may start, any order',
      onEach(lelannChangRoberts, rings(6)),
    ),
    run('ring of 8, ids rising', 'any node may start, any order', lelannChangRoberts, rising(8)),
    run('ring of 8, ids falling', 'any node may start, any order', lelannChangRoberts, falling(8)),
    run(
      'ring of 8, ids shuffled',
      'any node may start, any order',
      lelannChangRoberts,
      topology('ring:8:shuffled:1'),
    ),
  ]);
