import type { Budget } from '@conclave/core/exploration';
import { complete } from '@conclave/core/topology';
import { large, run, systemsOf, type Verified } from '../../../checks/systems.js';
import { leasedMajority } from './protocol.js';

/** The shortest: they have the fewest worlds. */
const times = { lease: 5_000, renewal: 2_000 } as const;

const second = { kind: 'exact', delay: [1_000, 1_000], stays: { critical: [0, 1_000] } } as const;
const points = { kind: 'exact', delay: [0, 0], stays: { critical: [0, 0] } } as const;

const three = (budget: Budget, what: string) =>
  run(
    '3 nodes',
    `two nodes an entry each, ${what}, messages of 1 s`,
    leasedMajority(times),
    complete(3),
    { initiators: ['a', 'b'], time: second, ...budget },
  );

export const verified: Verified = () =>
  systemsOf('A19 Leased votes of a majority', [
    three({ crashes: 1, restarts: 1 }, 'a crash and a restart'),
    three({ losses: 1 }, 'a loss'),
    large(
      run(
        '3 servers and 2 clients',
        'each client an entry at any time, one crashes, FIFO, no message takes time',
        leasedMajority({ ...times, servers: 3 }),
        complete(5),
        {
          ...{ initiators: ['d', 'e'], crashes: 1, mayCrash: ['client'] },
          ...{ order: 'fifo', time: points },
        },
      ),
    ),
  ]);
