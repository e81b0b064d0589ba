import { chain, complete } from '@conclave/core/topology';
import { type Mutants, run, systemsOf, type Verified } from '../../checks/checks.js';
import { logicalClock } from './protocol.js';

/** The systems on which the mutants of logical clocks are explored. All are killed there. */
const systems = () => [
  { topology: chain(2), budget: {} },
  { topology: chain(2), budget: { losses: 1, duplications: 1 } },
  { topology: chain(3), budget: {} },
];

export const mutants: Mutants = {
  withoutOptions: { systems },
  'clock=vector': { systems },
};

export const verified: Verified = () =>
  systemsOf('C1 Logical clocks', [
    run(
      '2 nodes',
      'each sends and acts twice, any order',
      logicalClock({ clock: 'vector' }),
      chain(2),
      { commands: 2 },
    ),
    run('3 nodes', 'Lamport clocks, each sends and acts, any order', logicalClock(), complete(3)),
    run(
      '3 nodes',
      'vector clocks, each sends and acts, any order',
      logicalClock({ clock: 'vector' }),
      complete(3),
    ),
    run(
      'chain of 3',
      'vector clocks, each sends and acts, a loss and a duplication, any order',
      logicalClock({ clock: 'vector' }),
      chain(3),
      { losses: 1, duplications: 1 },
    ),
    run(
      '4 nodes',
      'vector clocks, each sends, any order',
      logicalClock({ clock: 'vector' }),
      complete(4),
      { inputs: [{ type: 'send' }] },
    ),
  ]);
