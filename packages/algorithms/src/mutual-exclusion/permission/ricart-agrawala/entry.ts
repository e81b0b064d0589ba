import { cancel, entryOf } from '../../../entry.js';
import { ricartAgrawala, ricartAgrawalaAcknowledged, ricartAgrawalaCancellable } from './protocol.js';

export const entry = entryOf(
  'mutual-exclusion/permission',
  ({ acknowledged = false, ...options } = {}) => {
    if (acknowledged) return ricartAgrawalaAcknowledged(options);
    return options.cancel ? ricartAgrawalaCancellable : ricartAgrawala;
  },
  [
    { name: 'acknowledged', type: 'boolean', meaning: 'a node that does not acknowledge a request in time counts as crashed' },
    { name: 'timeout', type: 'number', meaning: 'with acknowledged: how long an answer may take, in ms' },
    cancel,
  ],
  [{ acknowledged: true }, { cancel: true }],
);
