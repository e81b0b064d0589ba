import { cancel, entryOf, holder } from '../../../entry.js';
import { raymond } from './protocol.js';

export const entry = entryOf(
  'mutual-exclusion/token',
  (options = {}) => raymond(options),
  [
    { name: 'piggyback', type: 'boolean', meaning: 'token and following request in one message' },
    { name: 'greedy', type: 'number', meaning: 'how often in a row a node may enter before its turn' },
    holder,
    cancel,
  ],
  [{ piggyback: true }, { cancel: true }],
);
