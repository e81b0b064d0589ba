import { optionsOf } from './check.js';
import { clock, network, transport } from './shapes.js';
import { callback, nodeIds, optional, text } from './values.js';

export const embedEntries = {
  self: text,
  transport,
  topology: optional(network),
  peers: optional(nodeIds),
  clock: optional(clock),
  choose: optional(callback),
  onError: optional(callback),
};
export const embedOptions = optionsOf(embedEntries);
