import { complete, ring, star } from '@conclave/core/topology';
import {
  run,
  systemsOf,
  type Verified,
  type VerifiedSystem,
  violating,
} from '../../checks/checks.js';
import { centralCoordinator } from '../central/central-coordinator/protocol.js';
import { ricartAgrawalaEcho } from '../permission/ricart-agrawala-echo/protocol.js';
import { huntedToken } from '../token/hunted-token/protocol.js';
import { naimiTrehel } from '../token/naimi-trehel/protocol.js';
import { causalFairness } from './protocol.js';

const of = (name: string, ...rows: readonly VerifiedSystem[]) =>
  systemsOf(`C6 Causal fairness of ${name}`, rows);
const twice = { commands: 2, order: 'fifo' } as const;

export const verified: Verified = () =>
  [
    of('A2 Lamport', run('3 nodes', 'an entry each, FIFO', causalFairness(), complete(3))),
    of(
      'A1 Central coordinator',
      run(
        '4 clients',
        '2 entries each, any order',
        causalFairness({ lock: centralCoordinator() }),
        star(5),
        { commands: 2 },
      ),
    ),
    of(
      'A10 Hunted token',
      run(
        'ring of 4',
        '2 entries each, FIFO',
        causalFairness({ lock: huntedToken() }),
        ring(4),
        twice,
      ),
    ),
    of(
      'A3c Ricart–Agrawala by echo waves',
      run(
        'triangle',
        '2 entries each, FIFO',
        causalFairness({ lock: ricartAgrawalaEcho }),
        complete(3),
        twice,
      ),
    ),
    of(
      'A8 Naimi–Trehel',
      violating(
        run(
          '4 nodes',
          '2 entries each, FIFO',
          causalFairness({ lock: naimiTrehel() }),
          complete(4),
          twice,
        ),
        'entries follow the order in which their requests happened before each other',
      ),
    ),
  ].flat();
