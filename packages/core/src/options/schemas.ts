import { plainProperties, properties } from '../protocol/property-schema.js';
import { drift, timeModel } from '../protocol/time.js';
import { optionsOf } from '../schema/check.js';
import {
  bound,
  callback,
  count,
  flag,
  listOf,
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
  command,
  fields,
  logger,
  network,
  protocol,
  protocolGiven,
  signal,
  storage,
  telemetry,
  trace,
} from './shapes.js';

/** What single options may be: for the packages on top. */
export const schemas = {
  optionsOf,
  embedEntries,
  ...{ clockWithTime, fields, logger, protocol, protocolGiven, signal, storage, telemetry },
  ...{ command, network, trace, properties, plainProperties, timeModel },
  drift,
  nodeIds,
  ...{ callback, flag, text, seed, oneOf, optional, listOf },
  ...{ bound, count, measure, measureAbove0, positive, probability, upTo, whole },
};
