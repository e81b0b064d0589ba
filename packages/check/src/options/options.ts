/** What the options of each function may be. */
import { checkOptions, choices, faults, schemas } from '@conclave/core/internal';
import * as v from 'valibot';

const { bound, callback, command, count, flag, listOf, measure, nodeIds, oneOf, optional } =
  schemas;
const { optionsOf, plainProperties, positive, properties, seed, timeModel, trace, whole } = schemas;

const given = v.looseObject({ protocol: schemas.protocol, topology: schemas.network });

/**
 * @throws {ConclaveError} `bad-input` where one of them is something else, such as a function that
 * makes it.
 */
export function checkGiven(
  where: string,
  system: { readonly protocol: unknown; readonly topology: unknown },
): void {
  checkOptions(where, given, system);
}

const howMany = "a whole number, 0 or more, or 'unlimited'";
const crashPlaces = v.union([callback, nodeIds], 'a function, or a list of tags and roles');
const budgetEntries = {
  commands: optional(v.union([whole(0, howMany), v.literal('unlimited')], howMany)),
  initiators: optional(nodeIds),
  inputs: optional(listOf(command, 'a list of commands')),
  ...faults.perFault(() => optional(count)),
  atomicSteps: optional(flag),
  unsent: optional(flag),
  mayCrash: optional(crashPlaces),
  unexpected: optional(oneOf(choices.unexpected)),
  order: optional(oneOf(choices.order)),
  time: optional(timeModel),
};
export const budgetOptions = optionsOf(budgetEntries);

/** The part of `options` that is the budget. */
export const budgetIn = <Options extends object>(options: Options): Partial<Options> =>
  Object.fromEntries(
    Object.entries(options).filter(([key]) => Object.hasOwn(budgetEntries, key)),
  ) as Partial<Options>; // some of its fields

export const limits = optionsOf({
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

export const exploreOptions = optionsOf({
  ...budgetEntries,
  ...shared,
  properties: optional(properties),
  search: optional(oneOf(choices.search)),
  coverage: optional(flag),
  from: optional(trace),
  counterexamples: optional(positive),
});

const textOrCallback = v.union([v.string(), v.function()], 'a name, or a function');
const ofExpectations = {
  until: optional(callback),
  within: optional(measure('units of the cost')),
  graph: optional(oneOf(choices.graph)),
  limits: optional(limits),
  onProgress: optional(callback),
};

export const expectedOptions = optionsOf({
  ...budgetEntries,
  cost: optional(textOrCallback),
  ...ofExpectations,
});

export const plainExpectedOptions = optionsOf({
  cost: optional(callback),
  ...ofExpectations,
});

export const plainOptions = optionsOf({
  ...shared,
  properties: plainProperties,
  order: optional(oneOf(choices.search)),
});

export const overtakingOptions = optionsOf({
  ...budgetEntries,
  limits: optional(limits),
  waits: optional(callback),
  inside: optional(callback),
});

export const walkOptions = optionsOf({
  ...budgetEntries,
  seed,
  walks: count,
  steps: count,
  coverage: optional(flag),
  stop: optional(callback),
  properties: optional(properties),
  onProgress: optional(callback),
});

export const pathOptions = optionsOf({
  ...budgetEntries,
  kind: optional(oneOf(choices.paths)),
  limits: optional(
    optionsOf({
      worlds: optional(bound()),
      paths: optional(bound()),
      steps: optional(bound()),
      stop: optional(callback),
    }),
  ),
  onProgress: optional(callback),
});
