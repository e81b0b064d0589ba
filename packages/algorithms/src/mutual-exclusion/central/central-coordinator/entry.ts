import { cancel, entryOf } from '../../../entry.js';
import { centralCoordinator } from './protocol.js';

export const entry = entryOf(
  'mutual-exclusion/central',
  (options = {}) => centralCoordinator(options),
  [
    {
      name: 'acknowledge',
      type: 'boolean',
      meaning: 'the coordinator confirms a queued request, and a client reports a silent coordinator',
    },
    { name: 'timeout', type: 'number', meaning: 'with acknowledge: how long an answer may take, in ms' },
    cancel,
  ],
  [{ acknowledge: true }, { cancel: true }],
);
