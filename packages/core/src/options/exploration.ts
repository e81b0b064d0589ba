import type { ExploreOptions, PlainOptions, WalkOptions } from '../exploration/options.js';
import type { Limits } from '../exploration/search/limits.js';
import type { Budget } from '../exploration/worlds/budget.js';
import type { Json } from '../protocol/node.js';
import { optionsOf } from './check.js';
import { command, plainProperties, properties } from './things.js';
import { bound, callback, choices, count, flag, listOf, measureAbove0, nodeIds, oneOf, optional, positive, seed } from './values.js';

const budgetEntries = {
  commands: optional(count),
  initiators: optional(nodeIds),
  inputs: optional(listOf(command, 'a list of commands')),
  losses: optional(count),
  duplications: optional(count),
  crashes: optional(count),
  restarts: optional(count),
  mayCrash: optional(callback),
  partitions: optional(count),
  order: optional(oneOf(choices.order)),
  time: optional(oneOf(choices.time)),
  delay: optional(measureAbove0('milliseconds')),
};
export const budgetOptions = optionsOf<Budget>(budgetEntries);

/** The part of `options` that is the budget. */
export const budgetIn = (options: Budget): Budget =>
  Object.fromEntries(Object.entries(options).filter(([key]) => Object.hasOwn(budgetEntries, key)));

const limits = optionsOf<Limits>({
  states: optional(bound()),
  memory: optional(bound('megabytes')),
  seconds: optional(bound('seconds')),
  depth: optional(bound()),
  stop: optional(callback),
});

const shared = {
  fairness: optional(oneOf(choices.fairness)),
  limits: optional(limits),
  all: optional(flag),
  onProgress: optional(callback),
};

export const exploreOptions = optionsOf<ExploreOptions>({
  ...budgetEntries,
  ...shared,
  properties: optional(properties),
  search: optional(oneOf(choices.search)),
  visited: optional(oneOf(choices.visited)),
  seed: optional(count),
  workers: optional(positive),
  reduce: optional(oneOf(choices.reduce)),
  normalise: optional(callback),
  coverage: optional(flag),
});

export const plainOptions = optionsOf<PlainOptions<Json>>({
  ...shared,
  properties: plainProperties,
  order: optional(oneOf(choices.search)),
  reduce: optional(oneOf(choices.plainReduce)),
});

export const walkOptions = optionsOf<WalkOptions>({
  ...budgetEntries,
  seed,
  walks: count,
  steps: count,
  stop: optional(callback),
  properties: optional(properties),
  onProgress: optional(callback),
});
