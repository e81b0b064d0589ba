import { clock, network, transport } from './things.js';
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
