import { optionsOf } from './check.js';
import { embedEntries } from './embedding.js';
import { fields, logger, protocol, protocolGiven, signal, telemetry } from './shapes.js';
import { drift } from './time.js';
import {
  callback,
  count,
  flag,
  measure,
  measureAbove0,
  oneOf,
  optional,
  positive,
  probability,
  seed,
  text,
  upTo,
  whole,
} from './values.js';

/** What single options may be: for tools on top, such as the command line. */
export const schemas = {
  optionsOf,
  embedEntries,
  ...{ fields, logger, protocol, protocolGiven, signal, telemetry },
  drift,
  ...{ callback, flag, text, seed, oneOf, optional },
  ...{ count, measure, measureAbove0, positive, probability, upTo, whole },
};
