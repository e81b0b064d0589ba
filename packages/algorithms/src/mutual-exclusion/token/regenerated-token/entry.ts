import { cancel, entryOf } from '../../../entry.js';
import { regeneratedToken } from './protocol.js';

export const entry = entryOf(
  'mutual-exclusion/token',
  (options = {}) => regeneratedToken(options),
  [
    { name: 'coordinator', type: 'string', meaning: 'the node that makes tokens; without it the nodes elect one' },
    { name: 'timeout', type: 'number', meaning: 'how long the coordinator waits for the token, in ms' },
    { name: 'blindRegenerations', type: 'number', meaning: 'tokens in a row that it makes without an inquiry' },
    cancel,
  ],
  [{ coordinator: 'a' }],
);
