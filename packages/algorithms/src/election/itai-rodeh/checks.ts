import { ring } from '@conclave/core/topology';
import { run, systemsOf, type Verified } from '../../checks/checks.js';
import { itaiRodeh } from './protocol.js';

export const verified: Verified = () =>
  systemsOf('B15 Itai–Rodeh', [
    run('ring of 5', 'two ids, any node may start, FIFO', itaiRodeh({ ids: 2 }), ring(5)),
    run('ring of 6', 'two ids, any node may start, FIFO', itaiRodeh({ ids: 2 }), ring(6)),
    run('ring of 5', 'three ids, any node may start, FIFO', itaiRodeh({ ids: 3 }), ring(5)),
  ]);
