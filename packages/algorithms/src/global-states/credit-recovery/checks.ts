import { complete } from '@conclave/core/topology';
import { type Mutants, run, systemsOf, type Verified } from '../../checks/checks.js';
import { creditRecovery } from './protocol.js';

export const mutants: Mutants = {
  withoutOptions: {
    systems: () => [
      { topology: complete(2), budget: { commands: 2 } },
      { topology: complete(3), budget: {} },
    ],
  },
};

export const verified: Verified = () =>
  systemsOf('E3b Credit recovery', [
    run('3 nodes', '2 messages of each, any order', creditRecovery(), complete(3), {
      commands: 2,
    }),
    run('4 nodes', 'a message of each, any order', creditRecovery(), complete(4)),
  ]);
