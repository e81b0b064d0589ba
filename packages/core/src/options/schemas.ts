/**
 * What single options may be, as one object for the packages on top, which read it from
 * `@conclave/core/internal`.
 *
 * A lock, an election and the command line check their options by these, so that a wrong value has
 * one text wherever it is given. It is one object, not thirty exports, since what crosses packages
 * without being public is counted.
 */
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

export const schemas = {
  // several options: a schema of them, and those that all embedded nodes take
  optionsOf,
  embedEntries,

  // recognised by their shape
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

  // properties, and the model of time
  plainProperties,
  properties,
  drift,
  timeModel,

  // plain values
  callback,
  flag,
  nodeIds,
  oneOf,
  text,
  listOf,
  optional,

  // numbers
  bound,
  count,
  measure,
  measureAbove0,
  positive,
  probability,
  seed,
  upTo,
  whole,
};
