import { optionsOf } from '../schema/check.js';
import {
  callback,
  choices,
  flag,
  milliseconds,
  nodeIds,
  oneOf,
  optional,
  positive,
  text,
} from '../schema/values.js';
import { clock, journal, network, storage, transport } from './shapes.js';

export const embedEntries = {
  self: text,
  transport,
  storage: optional(storage),
  incarnation: optional(positive),
  epoch: optional(positive),
  topology: optional(network),
  nodes: optional(nodeIds),
  peers: optional(nodeIds),
  clients: optional(flag),
  reportWaitAfter: optional(milliseconds),
  clock: optional(clock),
  choose: optional(callback),
  onError: optional(callback),
  journal: optional(journal),
  confirm: optional(oneOf(choices.confirm)),
  inspect: optional(callback),
};
export const embedOptions = optionsOf(embedEntries);
