import { complete } from '@conclave/core/topology';
import { because, type Mutants } from '../../checks/checks.js';
import { run, systemsOf, type Verified } from '../../checks/systems.js';
import { curve } from './curve.js';
import { heartbeat } from './protocol.js';

const systems = () => [
  { topology: complete(2), budget: {} },
  { topology: complete(2), budget: { crashes: 1 } },
];

const duplicate = because(
  'A duplicate is a heartbeat that comes no later than the original may',
  'channels repeat',
);

export const mutants: Mutants = {
  '': {
    systems,
    reasons: {
      ...duplicate,
      ...because(
        'A node that crashes in its start is then never suspected, which needs a stopwatch: bounds.test.ts',
        'monitor: entry watchAll drop-action',
      ),
      ...because(
        'Within the bounds no suspicion is false; the row with growth reaches it',
        'unreached',
      ),
    },
  },
  // False suspicions, and time-outs that grow.
  'growth=50 longest=200 timeout=100': {
    systems,
    reasons: {
      ...duplicate,
      ...because(
        'Every node sends a heartbeat as it starts, which starts the time-out; only after two crashes and a restart none comes',
        'monitor: entry watchAll drop-action',
      ),
      ...because(
        'A crash is then missed, which needs a stopwatch: bounds.test.ts',
        'monitor: heartbeat #1 watchAgain drop-action',
      ),
    },
  },
};

export const parts = { curve };

export const verified: Verified = () =>
  systemsOf('C3 Heartbeat', [
    run('3 nodes', 'a crash, messages of 50 to 100 ms', heartbeat(), complete(3), { crashes: 1 }),
  ]);
