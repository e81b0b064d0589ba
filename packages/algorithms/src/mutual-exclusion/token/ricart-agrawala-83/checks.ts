import { complete } from '@conclave/core/topology';
import { run, systemsOf, type Verified } from '../../../checks/checks.js';
import { ricartAgrawala83 } from './protocol.js';

export const verified: Verified = () =>
  systemsOf('A4 Ricart–Agrawala 1983', [
    run('4 nodes', 'an entry each, any order', ricartAgrawala83(), complete(4)),
  ]);
