import { drift } from '../protocol/time.js';
import { optionsOf } from '../schema/check.js';
import {
  callback,
  count,
  flag,
  measure,
  measureAbove0,
  nodeIds,
  oneOf,
  optional,
  positive,
  probability,
  seed,
  text,
  upTo,
  whole,
} from '../schema/values.js';
import { embedEntries } from './embedding.js';
import {
  clockWithTime,
  fields,
  logger,
  protocol,
  protocolGiven,
  signal,
  storage,
  telemetry,
} from './shapes.js';

/** What single options may be: for tools on top, such as the command line. */
export const schemas = {
  optionsOf,
  embedEntries,
  ...{ clockWithTime, fields, logger, protocol, protocolGiven, signal, storage, telemetry },
  drift,
  nodeIds,
  ...{ callback, flag, text, seed, oneOf, optional },
  ...{ count, measure, measureAbove0, positive, probability, upTo, whole },
};
