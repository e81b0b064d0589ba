import { optionsOf } from './check.js';
import { clock, fields, network, storage, transport } from './shapes.js';
import { callback, nodeIds, optional, positive, text } from './values.js';

export const embedEntries = {
  self: text,
  transport,
  storage: optional(storage),
  incarnation: optional(positive),
  topology: optional(network),
  peers: optional(nodeIds),
  clock: optional(clock),
  choose: optional(callback),
  onError: optional(callback),
};
export const embedOptions = optionsOf(embedEntries);

export const sessionOptions = optionsOf({
  nodes: nodeIds,
  terms: fields,
  incarnation: optional(positive),
  clock: optional(clock),
  helloAfter: optional(positive),
});
