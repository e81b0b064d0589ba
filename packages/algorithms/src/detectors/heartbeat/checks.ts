import { complete } from '@conclave/core/topology';
import { type Mutants, run, systemsOf, type Verified } from '../../checks/checks.js';
import { strongAccuracy } from '../failure-detection.js';
import { curve } from './curve.js';
import { heartbeat } from './protocol.js';

/** Within the bounds of time nobody is suspected who lives; a node that comes back is. */
const systems = () => [
  { topology: complete(2), budget: {} },
  { topology: complete(2), budget: { crashes: 1 } },
  {
    topology: complete(2),
    budget: { crashes: 1, restarts: 1 },
    violates: [strongAccuracy.name],
  },
];

export const mutants: Mutants = {
  '': { systems },
  // False suspicions, and time-outs that grow.
  'growth=50 longest=200 timeout=100': {
    systems: () => [
      { topology: complete(2), budget: {} },
      { topology: complete(2), budget: { crashes: 1 } },
    ],
  },
};

export const parts = { curve };

export const verified: Verified = () =>
  systemsOf('C3 Heartbeat', [
    run('3 nodes', 'a crash, messages of 50 to 100 ms', heartbeat(), complete(3), { crashes: 1 }),
  ]);
