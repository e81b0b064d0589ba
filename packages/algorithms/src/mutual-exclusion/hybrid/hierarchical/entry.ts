import { type Entry, entryOf, type ProtocolOf } from '../../../entry.js';
import { partOf, text } from '../../../options.js';
import { hierarchicalOptions } from './hierarchical.js';
import { hierarchical } from './protocol.js';

/** A part is the name of an algorithm, with its options. */
export const entryOver = (protocolOf: ProtocolOf): Entry =>
  entryOf(
    'mutual-exclusion/hybrid',
    ({ within, between, ...counts } = {}) =>
      hierarchical({
        ...counts,
        ...(within === undefined ? {} : { within: partOf(String(within), protocolOf) }),
        ...(between === undefined ? {} : { between: partOf(String(between), protocolOf) }),
      }),
    {
      ...hierarchicalOptions,
      within: text(hierarchicalOptions.within.meaning),
      between: text(hierarchicalOptions.between.meaning),
    },
  );
