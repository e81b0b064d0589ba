import { complete } from '@conclave/core/topology';
import { because, type NotesByOptions } from '../../mutation-notes.js';

const systems = () => [
  { topology: complete(2), budget: {} },
  { topology: complete(2), budget: { crashes: 1 } },
];

const duplicate = because(
  'A duplicate is a heartbeat that comes no later than the original may',
  'channels repeat',
);

export const mutation: NotesByOptions = {
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
        'monitor: heartbeat #1 delete-transition',
        'monitor: heartbeat #1 ignore',
        'monitor: heartbeat #1 trust drop-action',
        'monitor: heartbeat #1 trust duplicate-action',
        'monitor: heartbeat #1 trust, prolong swap-actions',
        'monitor: heartbeat #1 trust drop-send',
        'monitor: heartbeat #1 trust duplicate-send',
        'monitor: heartbeat #1 trust misdirect-send',
        'monitor: heartbeat #1 prolong drop-action',
        'monitor: heartbeat #1 prolong duplicate-action',
        'monitor: heartbeat #1 prolong, watchAgain swap-actions',
        'monitor: heartbeat #1 watchAgain drop-action',
        'monitor: heartbeat #1 watchAgain duplicate-action',
        'monitor: heartbeat #1 watchAgain drop-send',
        'monitor: heartbeat #1 watchAgain duplicate-send',
        'monitor: heartbeat #1 watchAgain misdirect-send',
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
