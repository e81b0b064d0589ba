import type { NodeView } from '@conclave/core/protocol';
import { complete } from '@conclave/core/topology';
import { type Mutants, run, systemsOf, type Verified } from '../../checks/checks.js';
import { threePhaseCommit } from './protocol.js';

/** A coordinator in this state, whose messages are on their way, crashes, and a backup that reverts. */
const both = (state: string) => ({
  crashes: 2,
  mayCrash: ({ id, value, context }: NodeView) =>
    (id === 'a' && value === state) ||
    (id === 'b' && value === 'prepared' && Array.isArray(context.live) && context.live[0] === id),
});

export const mutants: Mutants = {
  withoutOptions: {
    states: 50_000,
    systems: () => [
      { topology: complete(2), budget: { crashes: 1 } },
      { topology: complete(3), budget: {} },
      { topology: complete(3), budget: { crashes: 2 } },
      { topology: complete(4), budget: both('precommitted') },
      { topology: complete(4), budget: both('aborted') },
    ],
  },
};

export const verified: Verified = () =>
  systemsOf('E4b Three-phase commit', [
    run('3 nodes', 'any of which crash', threePhaseCommit, complete(3), { crashes: 3 }),
    run('4 nodes', 'two of which crash', threePhaseCommit, complete(4), { crashes: 2 }),
  ]);
