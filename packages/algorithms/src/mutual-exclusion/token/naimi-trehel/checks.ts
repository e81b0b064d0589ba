import { complete } from '@conclave/core/topology';
import { run, systemsOf, type Verified } from '../../../checks/checks.js';
import { naimiTrehel } from './protocol.js';

export const verified: Verified = () =>
  systemsOf('A8 Naimi–Trehel', [
    run('6 nodes', 'an entry each, any order', naimiTrehel(), complete(6)),
  ]);
