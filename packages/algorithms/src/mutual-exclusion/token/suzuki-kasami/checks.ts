import { complete } from '@conclave/core/topology';
import { run, systemsOf, type Verified } from '../../../checks/checks.js';
import { suzukiKasami } from './protocol.js';

export const verified: Verified = () =>
  systemsOf('A4b Suzuki–Kasami', [
    run('4 nodes', 'an entry each, any order', suzukiKasami(), complete(4)),
  ]);
