import { optionsOf } from './check.js';
import { clock, journal, network, transport } from './shapes.js';
import { callback, count, eachOrCount, nodeIds, optional, text } from './values.js';

export const embedEntries = {
  self: text,
  transport,
  topology: optional(network),
  peers: optional(nodeIds),
  clock: optional(clock),
  choose: optional(callback),
  onError: optional(callback),
  journal: optional(journal),
  incarnation: optional(count),
  verify: optional(eachOrCount),
};
export const embedOptions = optionsOf(embedEntries);
