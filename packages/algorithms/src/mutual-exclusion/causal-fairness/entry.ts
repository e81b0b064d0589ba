import { type Entry, entryOf, type ProtocolOf } from '../../entry.js';
import { partOf, text } from '../../options.js';
import { causalFairnessOptions } from './causal-fairness.js';
import { causalFairness } from './protocol.js';

/** Its lock is the name of an algorithm, with its options. */
export const entryOver = (protocolOf: ProtocolOf): Entry =>
  entryOf(
    'mutual-exclusion',
    ({ lock } = {}) =>
      causalFairness(lock === undefined ? {} : { lock: partOf(String(lock), protocolOf) }),
    { lock: text(causalFairnessOptions.lock.meaning) },
  );
