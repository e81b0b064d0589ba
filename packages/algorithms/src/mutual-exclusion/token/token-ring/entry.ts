import { cancel, entryOf, holder } from '../../../entry.js';
import { tokenRing } from './protocol.js';

export const entry = entryOf(
  'mutual-exclusion/token',
  (options = {}) => tokenRing(options),
  [{ ...holder, meaning: 'the node that starts the token' }, cancel],
  [{ cancel: true }],
);
