import { ring, topology } from '@conclave/core/topology';
import { run, runs, systemsOf, type Verified } from '../../checks/checks.js';
import { onEach, rings, rising, withAnyInitiators } from '../../checks/networks.js';
import { dolevKlaweRodeh } from './protocol.js';

export { ringMutants as mutants } from '../../checks/networks.js';

export const verified: Verified = () =>
  systemsOf('B14 Dolev–Klawe–Rodeh', [
    runs(
      'the 24 rings of 5',
      'any set of initiators, FIFO',
      withAnyInitiators(dolevKlaweRodeh, rings(5)),
    ),
    runs('the 120 rings of 6', 'any node may start, FIFO', onEach(dolevKlaweRodeh, rings(6))),
    run('ring of 8, ids rising', 'any node may start, FIFO', dolevKlaweRodeh, rising(8)),
    run(
      'ring of 8, the most phases possible',
      'any node may start, FIFO',
      dolevKlaweRodeh,
      ring(['a', 'e', 'b', 'g', 'c', 'f', 'd', 'h']),
    ),
    run(
      'ring of 8, ids shuffled',
      'any node may start, FIFO',
      dolevKlaweRodeh,
      topology('ring:8:shuffled:1'),
    ),
  ]);
