import { star } from '@conclave/core/topology';
import { type Mutants, run, systemsOf, type Verified, violating } from '../../checks/checks.js';
import { progress } from '../commit.js';
import { twoPhaseCommit } from './protocol.js';

/** A participant that comes back: then the transaction ends. */
const back = { crashes: 1, restarts: 1, mayCrash: ['participant'] };

export const mutants: Mutants = {
  withoutOptions: {
    systems: () => [
      { topology: star(2), budget: {} },
      { topology: star(3), budget: {} },
      { topology: star(2), budget: { duplications: 1 } },
      { topology: star(2), budget: back },
      { topology: star(3), budget: back },
      {
        topology: star(2),
        budget: { crashes: 2, restarts: 2 },
        violates: [progress.name],
      },
    ],
  },
};

export const verified: Verified = () =>
  systemsOf('E4 Two-phase commit', [
    run('6 nodes', 'any order', twoPhaseCommit(), star(6)),
    violating(
      run(
        '4 nodes',
        'two crashes and restarts of any nodes, any order',
        twoPhaseCommit(),
        star(4),
        {
          crashes: 2,
          restarts: 2,
        },
      ),
      progress.name,
    ),
  ]);
