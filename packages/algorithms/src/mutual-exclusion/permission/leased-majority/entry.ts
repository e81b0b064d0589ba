import { cancel, entryOf } from '../../../entry.js';
import { leasedMajority } from './protocol.js';

export const entry = entryOf(
  'mutual-exclusion/permission',
  (options = {}) => leasedMajority(options),
  [
    { name: 'lease', type: 'number', meaning: 'how long, in milliseconds, a vote binds its voter' },
    { name: 'drift', type: 'number', meaning: 'by which part of it a time on a clock may be wrong, at most: 0.01' },
    { name: 'renewal', type: 'number', meaning: 'the time, in milliseconds, from one request for the votes to the next' },
    cancel,
  ],
  [{ cancel: true }],
);
