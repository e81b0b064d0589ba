/** What a check is about: one value, made once from the arguments. */

import { choices, faults, isOfRuns, propertyKinds } from '@conclave/core/internal';
import type { Property, Protocol } from '@conclave/core/protocol';
import type { Topology } from '@conclave/core/topology';
import type { Trace } from '@conclave/core/trace';
import { badInput } from '../errors.js';
import { budgetFor, budgetOptions, type CheckBudget, warningsOf } from '../input/environment.js';
import {
  choice,
  count,
  flag,
  flagOf,
  jsonOption,
  measure,
  parsed,
  positive,
  seed,
  seedRange,
  text,
  type ValuesOf,
} from '../input/options.js';
import { networkFor, protocolOptions, readTrace } from '../input/protocol.js';
import { requireWritable } from '../output/files.js';
import { remark, type Session } from '../session.js';
import { sweepOptions } from '../shards/part.js';

export interface Check<P> {
  readonly session: Session;
  /** As the user wrote it: an id or name of the catalogue, or the path of a module. */
  readonly name: string;
  readonly options: CheckOptions;
  readonly fairness: NonNullable<CheckOptions['fair']>;
  /** The properties to judge, and those that `--safety` leaves out. */
  readonly properties: readonly P[];
  readonly leftOut: readonly P[];
}

export interface ProtocolCheck extends Check<Property> {
  readonly protocol: Protocol;
}

/** The check of a protocol on one network, with what the environment may do there. */
export interface NetworkCheck extends ProtocolCheck {
  readonly topology: Topology;
  readonly budget: CheckBudget;
  /** The run where the search begins. */
  readonly from?: Trace;
}

export function checkOf<P extends Pick<Property, 'kind'>>(
  session: Session,
  name: string,
  options: CheckOptions,
  all: readonly P[],
): Check<P> {
  const { fair: fairness = 'weak', safety = false } = options;
  const isLeftOut = (property: P) => safety && isOfRuns(property);
  const [properties, leftOut] = [all.filter((one) => !isLeftOut(one)), all.filter(isLeftOut)];
  return { session, name, options, fairness, properties, leftOut };
}

/** @throws {ConclaveError} `bad-input` for options that do not go together. */
export function protocolCheck(
  session: Session,
  name: string,
  options: CheckOptions,
  protocol: Protocol,
): ProtocolCheck {
  requireConsistent(options);
  return { ...checkOf(session, name, options, protocol.properties), protocol };
}

/**
 * The check of the one system that the options describe; what a person should know about it is
 * printed.
 *
 * @throws {ConclaveError} `bad-input`, `bad-topology`.
 */
export function networkCheck(check: ProtocolCheck): NetworkCheck {
  const { session, protocol, options } = check;
  const from = options.from === undefined ? undefined : runFor(protocol, options.from);
  const { topology, note } = networkFor(protocol, options.topology ?? from?.spec, 3);
  const budget = budgetFor(protocol, options);
  requireWritable(options);
  remark(session, note, warningsOf(protocol, budget));
  const limited = withUsualLimit(protocol, options);
  return { ...check, options: limited, topology, budget, ...(from && { from: from.trace }) };
}

/** A list or a number in a bare machine may grow for ever: its events come any number of times. */
export const withUsualLimit = ({ drawn }: Pick<Protocol, 'drawn'>, options: CheckOptions) =>
  drawn && givenOf(options, [...limits, 'walks', 'estimate']) === undefined
    ? { ...options, maxSeconds: usualSecondsOfMachine }
    : options;

/** @throws {ConclaveError} `bad-input` for the run of another protocol. */
function runFor({ name }: Protocol, file: string) {
  const { trace, recorded, spec } = readTrace(file);
  if (recorded.name !== name)
    throw badInput(`${recorded.what} of '${recorded.name}', and this is '${name}'`);
  return { trace, spec };
}

const kindsOfRuns = Object.entries(propertyKinds).flatMap(([kind, { decidedBy }]) =>
  decidedBy === 'state' ? [] : kind,
);

/** The options of `conclave check`; one that is not given is absent. */
export const checkOptions = {
  topology: text('spec', 'the network, such as ring:3 or complete:3; a small one'),
  ...budgetOptions,
  from: text(
    'file',
    'begin where this run ends, as --trace writes it; entries and faults are those after it',
  ),
  fair: choice(
    'fairness',
    choices.fairness,
    'which steps happen eventually: weak, those that stay possible; strong, also those that are possible again and again (default: weak)',
  ),
  safety: flag(
    `check properties of states only: leave out those of runs (${kindsOfRuns.join(', ')})`,
  ),
  search: choice(
    'order',
    choices.search,
    'breadth: shortest counterexamples; depth: deep states soon (default: breadth)',
  ),
  counterexamples: parsed(
    'k',
    'show up to k counterexamples of a property of states, each of which ends in other states of the nodes (default: 1)',
    positive,
  ),
  maxStates: parsed('n', 'stop after so many states', count),
  maxMemory: parsed('MB', 'stop when the states take so much memory', measure('megabytes')),
  maxSeconds: parsed(
    's',
    'stop after so long (default where no size is given: 10)',
    measure('seconds'),
  ),
  maxDepth: parsed(
    'n',
    'explore no further than so many steps; with --walks: how long each walk is at most (default there: 1000)',
    count,
  ),
  estimate: flag(
    'predict how large the search is, from its first 200,000 states (--max-states), and check nothing',
  ),
  walks: parsed(
    'n',
    'take so many random walks instead, which can refute and never prove',
    positive,
  ),
  seed: parsed('n', 'same seed, same walks (default: 1)', seed),
  seeds: parsed(
    'from..to',
    'with --walks: so many walks for each of these seeds, such as 1..20, each seed by itself',
    seedRange,
  ),
  ...sweepOptions,
  ...protocolOptions,
  trace: text(
    'file',
    'write the first counterexample; FILE.svg, FILE.animated.svg and FILE.mmd are diagrams',
  ),
  ...jsonOption,
};

/** The headings of `conclave check --help`. */
export const checkGroups: Readonly<Record<string, readonly Name[]>> = {
  'The system': ['topology', 'from', 'entries', 'initiators', 'option', 'export'],
  'What may happen': [
    ...(['order', ...faults.faultNames.map((name) => faults.kinds[name].option)] as const),
    ...(['crashIn', 'atomicSteps', 'unsent', 'unexpected', 'fair', 'safety'] as const),
  ],
  Time: ['time', 'delay', 'stay', 'drift'],
  'The search, and where it stops': [
    ...(['search', 'counterexamples', 'maxStates', 'maxMemory'] as const),
    ...(['maxSeconds', 'maxDepth', 'estimate'] as const),
  ],
  'Random walks in place of a search': ['walks', 'seed', 'seeds'],
  'Many machines': ['shard', 'queue', 'shards'],
  'What is written': ['trace', 'json'],
};

export type CheckOptions = ValuesOf<typeof checkOptions>;

type Name = keyof CheckOptions;

const limits: readonly Name[] = ['maxStates', 'maxMemory', 'maxSeconds', 'maxDepth'];
const forSearches: readonly Name[] = [
  ...(['fair', 'search', 'from', 'counterexamples'] as const),
  ...(['maxStates', 'maxMemory', 'maxSeconds'] as const),
];
const forSystems: readonly Name[] = ['fair', 'safety', 'search', ...limits, 'export', 'json'];
const forVerdicts: readonly Name[] = [
  ...(['fair', 'safety', 'search', 'from', 'counterexamples', 'walks', 'trace'] as const),
];
/** Each of these determines which system is explored, or how much of it. */
const forOneSize: readonly Name[] = [
  'topology',
  'entries',
  'initiators',
  'from',
  'counterexamples',
  'estimate',
  'walks',
  'seed',
  'seeds',
  'maxStates',
  'maxDepth',
];

/** How long a check explores larger and larger systems by default. */
export const usualSeconds = 10;
/** How long a bare machine is explored by default. */
export const usualSecondsOfMachine = 60;

/** The first of these options that is given. */
const givenOf = (options: CheckOptions, names: readonly Name[]): Name | undefined =>
  names.find((name) => options[name] !== undefined);

/** Whether the check chooses the sizes of the systems. */
/** Bare machines have one size. */
export const choosesSizes = (options: CheckOptions, { drawn }: Protocol): boolean =>
  !drawn && givenOf(options, forOneSize) === undefined;

/**
 * @throws {ConclaveError} `bad-input` for options that contradict each other, or have no effect.
 */
function requireConsistent(options: CheckOptions): void {
  const { walks } = options;
  const ofSearch = walks === undefined ? undefined : givenOf(options, forSearches);
  if (ofSearch)
    throw badInput(
      `${flagOf(ofSearch)} is for a search, and --walks takes walks`,
      'Leave one of them out.',
    );
  const ofWalks = walks === undefined ? givenOf(options, ['seed', 'seeds']) : undefined;
  if (ofWalks) throw badInput(`--${ofWalks} is for walks`, 'Add --walks 100.');
  requireForSeeds(options);
  requireForEstimate(options);
}

/** The walks of several seeds can be divided, those of one cannot: each knows those before it. */
function requireForSeeds(options: CheckOptions): void {
  const { seed, seeds, trace } = options;
  if (seeds === undefined) {
    const surplus = givenOf(options, ['shard', 'shards', 'queue']);
    if (surplus)
      throw badInput(
        `${flagOf(surplus)} is for the walks of several seeds`,
        'Add --walks 1000 --seeds 1..100, or leave it out.',
      );
    return;
  }
  if (seed !== undefined)
    throw badInput('--seed is for one seed, and --seeds for several', 'Leave one of them out.');
  if (trace !== undefined)
    throw badInput(
      '--trace writes one run, and --seeds are several searches',
      `Take one of them, as in --seed ${seeds.from} --trace ${trace}.`,
    );
}

/** An estimate is of the whole search, and judges nothing. */
function requireForEstimate(options: CheckOptions): void {
  if (options.estimate === undefined) return;
  const others: readonly Name[] = ['maxMemory', 'maxSeconds', 'maxDepth'];
  const surplus = givenOf(options, [...forVerdicts, ...others]);
  if (surplus)
    throw badInput(
      `${flagOf(surplus)} has no effect on an estimate`,
      `Leave out ${flagOf(surplus)}, or --estimate.`,
    );
}

/**
 * @throws {ConclaveError} `bad-input` for options that have no effect on a system of plain
 * functions.
 */
export function requireForSystem(
  name: string,
  options: object,
  forThem: readonly string[] = forSystems,
): void {
  const known: ReadonlySet<string> = new Set(forThem);
  const surplus = Object.keys(options).find((option) => !known.has(option));
  if (surplus !== undefined)
    throw badInput(
      `${flagOf(surplus)} is for a protocol, and '${name}' is a system of plain functions`,
      `Leave out ${flagOf(surplus)}.`,
    );
}
