import { run, runs, systemsOf, type Verified } from '../../checks/checks.js';
import { falling, onEach, rings, rising } from '../../checks/networks.js';
import { fullCirculation } from './protocol.js';

export const verified: Verified = () =>
  systemsOf('B4 Full circulation', [
    runs('the 24 rings of 5', 'any node may start, FIFO', onEach(fullCirculation(), rings(5))),
    run('ring of 6, ids rising', 'any node may start, FIFO', fullCirculation(), rising(6)),
    run('ring of 7, ids falling', 'any node may start, FIFO', fullCirculation(), falling(7)),
    run(
      'ring of 5, ids rising',
      'size known, any node may start, any order',
      fullCirculation({ size: true }),
      rising(5),
    ),
  ]);
