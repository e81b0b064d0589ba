import { cancel, entryOf } from '../../../entry.js';
import { maekawa } from './protocol.js';

export const entry = entryOf(
  'mutual-exclusion/permission',
  (options = {}) => maekawa(options),
  [
    { name: 'quorums', type: 'string', meaning: 'the quorums: plane, grid, majority, or best: plane if there is one, else grid' },
    { name: 'naive', type: 'boolean', meaning: 'without deadlock resolution: it deadlocks' },
    cancel,
  ],
  [{ cancel: true }],
);
