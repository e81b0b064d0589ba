import { ring } from '@conclave/core/topology';
import { run, systemsOf, type Verified } from '../../../checks/checks.js';
import { huntedToken } from './protocol.js';

export const verified: Verified = () =>
  systemsOf('A10 Hunted token', [
    run('ring of 4', '2 entries each, any order', huntedToken(), ring(4), { commands: 2 }),
    run('ring of 5', '2 entries each, FIFO', huntedToken(), ring(5), {
      commands: 2,
      order: 'fifo',
    }),
    run('ring of 6', 'an entry each, any order', huntedToken(), ring(6)),
    run('ring of 3', '4 entries each, any order', huntedToken(), ring(3), { commands: 4 }),
    run('ring of 7', 'an entry each, FIFO', huntedToken(), ring(7), { order: 'fifo' }),
  ]);
