import * as v from 'valibot';
import { properties } from '../protocol/property-schema.js';
import { drift } from '../protocol/time.js';
import { optionsOf } from '../schema/check.js';
import {
  bound,
  byKind,
  callback,
  choices,
  count,
  flag,
  listOf,
  milliseconds,
  nodeIds,
  oneOf,
  optional,
  positive,
  probability,
  seed,
  text,
} from '../schema/values.js';
import { conditionChanges, delay } from './channel.js';
import { command, network, protocol } from './shapes.js';

const ms = milliseconds;
const timed = { at: ms, probability: optional(probability) };

/** By kind. */
export const faults = {
  crash: optionsOf({
    ...timed,
    kind: text,
    node: text,
    restartAfter: optional(ms),
    inside: optional(flag),
  }),
  partition: optionsOf({
    ...timed,
    kind: text,
    groups: listOf(nodeIds, 'a list of groups, each a list of node ids'),
    until: optional(ms),
  }),
  conditions: optionsOf({ ...timed, kind: text, change: conditionChanges }),
};

const fault = byKind(faults, "a fault, such as { kind: 'crash', node: 'a', at: 100 }");

export const linkLayer = optionsOf({
  retransmitAfter: optional(positive),
  window: optional(positive),
});

export const until = optionsOf({
  steps: optional(bound()),
  time: optional(bound('milliseconds')),
  stepsAtOnce: optional(bound()),
  stop: optional(callback),
});

const run = {
  protocol,
  topology: network,
  conditions: optional(conditionChanges),
  drift: optional(drift),
  workload: optional(callback),
  faults: optional(listOf(fault, 'a list of faults')),
  reliable: optional(v.lazy((given) => (typeof given === 'object' ? linkLayer : flag))),
  until: optional(until),
  properties: optional(properties),
  host: optional(oneOf(choices.host)),
  confirm: optional(oneOf(choices.confirm)),
};

export const simulationOptions = optionsOf({
  ...run,
  seed: optional(seed),
  record: optional(flag),
  onProgress: optional(callback),
});

const giving = {
  entries: optional(count),
  hold: optional(delay),
  nodes: optional(nodeIds),
  inputs: optional(listOf(command, 'a list of commands')),
};
export const loopOptions = optionsOf({ ...giving, think: optional(delay) });
export const poissonOptions = optionsOf({ ...giving, mean: ms });
export const oneShotOptions = optionsOf({
  nodes: optional(nodeIds),
  after: optional(delay),
});
