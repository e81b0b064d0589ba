import { ring } from '@conclave/core/topology';
import { run, systemsOf, type Verified } from '../../../checks/checks.js';
import { ricartAgrawalaRing } from './protocol.js';

export const verified: Verified = () =>
  systemsOf('A3b Ricart–Agrawala on a ring', [
    run('ring of 4', '3 nodes 2 entries each', ricartAgrawalaRing, ring(4), {
      commands: 2,
      initiators: ['a', 'b', 'c'],
    }),
  ]);
