import { entryOf } from '../../../entry.js';
import { flag } from '../../../options.js';
import {
  ricartAgrawala,
  ricartAgrawalaAcknowledged,
  ricartAgrawalaCancellable,
} from './protocol.js';
import { acknowledgedOptions } from './ricart-agrawala.js';

export const entry = entryOf(
  'mutual-exclusion/permission',
  ({ acknowledged = false, ...options } = {}) => {
    if (acknowledged) return ricartAgrawalaAcknowledged(options);
    return options.cancel ? ricartAgrawalaCancellable : ricartAgrawala;
  },
  {
    acknowledged: flag('a node that does not acknowledge a request in time counts as crashed'),
    ...acknowledgedOptions,
  },
  { charted: [{ acknowledged: true }, { cancel: true }] },
);
