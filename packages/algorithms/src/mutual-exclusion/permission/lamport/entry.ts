import { entryOf } from '../../../entry.js';
import { cancel } from '../../../options.js';
import { lamport, lamportCancellable } from './protocol.js';

export const entry = entryOf(
  'mutual-exclusion/permission',
  ({ cancel = false } = {}) => (cancel ? lamportCancellable : lamport),
  { cancel },
  { charted: [{ cancel: true }] },
);
