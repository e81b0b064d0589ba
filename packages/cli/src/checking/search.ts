/** Checks of one system: a search through every interleaving, or random walks. */
import { getHeapStatistics } from 'node:v8';
import { type Exploration, type ExploreOptions, explore, walk } from '@conclave/core/exploration';
import type { Property, Protocol } from '@conclave/core/protocol';
import type { Topology } from '@conclave/core/topology';
import {
  beyondAssumptions,
  beyondTime,
  budgetFor,
  budgetRows,
  type CheckBudget,
} from '../input/environment.js';
import { defined } from '../input/options.js';
import { networkFor } from '../input/protocol.js';
import {
  abridged,
  counted,
  duration,
  few,
  number,
  quoted,
  titleOf,
  type Verdict,
} from '../output/text.js';
import { again, againLine, repeatable, requireWritable, written } from '../output/trace.js';
import { remark, type Session, stopOf, withProgress } from '../session.js';
import { whatToTry } from './hints.js';
import { type CheckOptions, requireConsistent } from './options.js';
import {
  assumptionsText,
  conclude,
  counterexamples,
  coverageRows,
  faultOf,
  findingReports,
  isViolated,
  judgedOf,
  openAfter,
  sizeOf,
  stepsRows,
} from './outcome.js';

/** Explores every interleaving of a protocol, or those that the options leave. */
export function checkBySearch(
  session: Session,
  name: string,
  protocol: Protocol,
  options: CheckOptions,
): void {
  const { fair: fairness = 'weak' } = options;
  const { topology, budget, properties, leftOut } = settingOf(session, protocol, options);
  const limits = limitsOf(options, session);
  const exploration = explored(
    session,
    { protocol, topology, budget, properties, limits },
    options,
  );
  const { properties: findings, coverage = [], diagnosis, ...found } = exploration;
  const { complete, limit, assumptions } = found;
  const incomplete = limitText(exploration, limits) ?? notJudgedText(findings, options);
  const trace = findings.find(isViolated)?.trace;
  const checked = { name, protocol, topology, budget, ...defined({ tick: found.tick }) };
  const traceNote = written(name, options, trace);
  conclude(session, options, {
    ...{ findings, limit, incomplete, leftOut },
    report: { ...found, properties: findingReports(findings, checked), coverage, diagnosis },
    summary: () => ({
      title: titleOf(protocol, session.colours),
      rows: [
        ...settingRows(protocol, topology, budget),
        ['fairness', fairness],
        ...searchRows(exploration),
        ...stepsRows([exploration.steps]),
        ['made of', partsText(diagnosis)],
        ...coverageRows(exploration),
      ],
      complete: completeText(exploration, reductionOf(options)),
      advice: complete
        ? ''
        : ` Unexplored states may violate any property.${limit === 'interrupted' ? '' : furtherText(budget)}`,
      assumptions: `${assumptionsText(assumptions)}${growthText(diagnosis)}${fineTimeText(diagnosis)}`,
      more: [
        ...counterexamples(findings, checked, options, session.colours),
        whatToTry({ protocol, budget, fairness, longPaths: longPathsOf(options) }, findings),
        trace ? againLine(session.argv, options) : '',
        traceNote,
      ],
    }),
  });
}

/** What may help where a limit was reached; in exact time there are no reductions. */
const furtherText = ({ time }: CheckBudget): string =>
  ` Raise the limit or choose a smaller system; ${time === 'untimed' ? '--reduce reaches further, ' : ''}--walks samples.`;
const walksText = 'walks prove nothing; leave out --walks to explore every interleaving.';

/** Takes random walks through the interleavings of a protocol that has too many of them. */
export function checkByWalks(
  session: Session,
  name: string,
  protocol: Protocol,
  walks: number,
  options: CheckOptions,
): void {
  const { steps = 1000, seed = 1 } = options;
  const { topology, budget, properties, leftOut } = settingOf(session, protocol, options);
  const command = again(session.argv, seed);
  const result = withProgress(session, (show) => {
    const onProgress = (made: number, taken: number, states: number) =>
      show(
        () =>
          `walking: ${counted(made, 'walk')}, ${counted(taken, 'step')}, ${counted(states, 'state')}`,
      );
    const settings = { ...budget, properties, seed, walks, steps, onProgress, ...stopOf(session) };
    return repeatable(command, () => walk(protocol, topology, settings));
  });
  const findings = result.properties;
  const checked = { name, protocol, topology, budget, ...defined({ tick: result.tick }) };
  const traceNote = written(name, options, findings.find(isViolated)?.trace);
  conclude(session, options, {
    ...{ findings, limit: result.limit, leftOut },
    incomplete: `${result.limit === 'interrupted' ? `interrupted after ${counted(result.walks, 'walk')}; ` : ''}${walksText}`,
    report: {
      ...result,
      complete: false,
      properties: findingReports(findings, checked),
      again: command,
    },
    summary: () => ({
      title: titleOf(protocol, session.colours),
      rows: [
        ...settingRows(protocol, topology, budget),
        [
          'walks',
          `${number(result.walks)} of up to ${counted(steps, 'step')}; seed ${result.seed}`,
        ],
        ['met', `${counted(result.states, 'state')} in ${counted(result.steps, 'step')}`],
      ],
      complete: '',
      advice: ' They can refute properties of states, and of runs by a run that ends.',
      assumptions: assumptionsText(result.assumptions),
      more: [
        ...counterexamples(findings, checked, options, session.colours),
        whatToTry({ protocol, budget }, findings),
        `Again: ${command}\n`,
        traceNote,
      ],
    }),
  });
}

/**
 * The system that the options describe; what a person should know about it is printed.
 * @throws {ConclaveError} `bad-input`, `bad-topology`.
 */
function settingOf(session: Session, protocol: Protocol, options: CheckOptions) {
  requireConsistent(protocol, options);
  const { topology, note } = networkFor(protocol, options.topology, 3);
  const budget = budgetFor(protocol, options);
  requireWritable(options);
  remark(session, note, warningsOf(protocol, budget));
  return { topology, budget, ...judgedOf(protocol.properties, options) };
}

type Limits = NonNullable<ExploreOptions['limits']>;

export function warningsOf(protocol: Protocol, budget: CheckBudget): readonly string[] {
  const { order, losses: loss, duplications: duplication, partitions, time } = budget;
  const ofTime = beyondTime(protocol, time);
  return [
    ...beyondAssumptions(protocol, { order, loss, duplication, partitions }),
    ...(ofTime === undefined ? [] : [ofTime.text]),
  ];
}

/**
 * Limits from the options. The default limit of memory is the explorer's: most of this machine's.
 */
export function limitsOf(
  { maxStates = Infinity, maxMemory, maxSeconds = Infinity, maxDepth = Infinity }: CheckOptions,
  session: Session,
): Limits {
  return {
    states: maxStates,
    seconds: maxSeconds,
    depth: maxDepth,
    ...defined({ memory: maxMemory }),
    ...stopOf(session),
  };
}

interface System {
  readonly protocol: Protocol;
  readonly topology: Topology;
  readonly budget: CheckBudget;
  readonly properties: readonly Property[];
  readonly limits: Limits;
}

/** Explores one system as the options say. */
export function explored(
  session: Session,
  { protocol, topology, budget, properties, limits }: System,
  options: CheckOptions,
): Exploration {
  const { fair: fairness = 'weak', search = 'breadth', reduce = 'none' } = options;
  return searching(session, (onProgress) =>
    explore(protocol, topology, {
      ...budget,
      ...{ properties, fairness, limits, search, reduce, onProgress },
      coverage: reduce === 'none', // it would prevent much of a reduction
    }),
  );
}

/** A search with progress, whose errors say how to repeat it. */
export function searching<T>(
  session: Session,
  search: (onProgress: (states: number, transitions: number, depth: number) => void) => T,
): T {
  return withProgress(session, (show) => {
    const onProgress = (states: number, transitions: number, depth: number) =>
      show(
        (seconds) =>
          `checking: ${sizeOf({ states, transitions, depth })}, ${speed(states, seconds)}`,
      );
    return repeatable(again(session.argv), () => search(onProgress));
  });
}

const speed = (states: number, seconds: number): string =>
  `${number(seconds > 0 ? Math.round(states / seconds) : 0)} states/s`;

function settingRows(protocol: Protocol, topology: Topology, budget: CheckBudget): string[][] {
  return [
    ['network', `${abridged(topology.spec)}, ${counted(topology.nodes.length, 'node')}`],
    ...budgetRows(protocol, budget),
  ];
}

type Found = Pick<Exploration, 'states' | 'transitions' | 'depth' | 'width' | 'seconds'>;

export const searchRows = (found: Found): string[][] => [
  ['found', `${sizeOf(found)}, width ${number(found.width)}`],
  ['time', `${duration(found.seconds)}, ${speed(found.states, found.seconds)}`],
];

/** The option that left out states, if any. */
const reductionOf = ({ reduce = 'none' }: CheckOptions): string | undefined =>
  reduce === 'none' ? undefined : `--reduce ${reduce}`;

/** The options with which a counterexample need not be a shortest one. */
export const longPathsOf = (options: CheckOptions): string | undefined =>
  [options.search === 'depth' ? '--search depth' : undefined, reductionOf(options)]
    .filter((option) => option !== undefined)
    .join(' and ') || undefined;

interface Judged {
  readonly complete: boolean;
  readonly limit?: NonNullable<Exploration['limit']>;
  readonly states: number;
  readonly properties: readonly { readonly name: string; readonly verdict: Verdict }[];
}

/** What a limit left open; undefined when nothing is. */
export function limitText(
  { complete, limit, states, properties }: Judged,
  limits: Limits,
): string | undefined {
  const reached = limit === undefined ? 'the search ended early' : reachedText(limit, limits);
  if (!complete)
    return `${reached} with ${counted(states, 'state')} found; nothing is proved to hold.`;
  const open = properties.filter(({ verdict }) => verdict === 'incomplete');
  if (limit === undefined || open.length === 0) return undefined;
  return `not judged: ${quoted(open)}. All states were found, but ${reached} before these were decided.`;
}

/** The limit that was reached, with its option. */
function reachedText(limit: NonNullable<Exploration['limit']>, limits: Limits): string {
  if (limit === 'interrupted') return 'interrupted';
  const { memory } = limits;
  if (
    limit !== 'memory' ||
    (memory !== undefined && memory * 2 ** 20 < getHeapStatistics().heap_size_limit)
  )
    return `--max-${limit} ${limits[limit]} was reached`;
  const what =
    memory === undefined ? 'most of the memory of this machine' : `--max-memory ${memory}`;
  return `${what} was reached, or the end of the heap (node --max-old-space-size),`;
}

interface Finding {
  readonly name: string;
  readonly verdict: Verdict;
  readonly trace?: { readonly header: ReadonlyMap<string, string> };
  readonly fault?: string;
}

/**
 * Why a complete search left verdicts open; after an unhandled message or a failing action they are
 * open in any case.
 */
export function notJudgedText(
  findings: readonly Finding[],
  options: CheckOptions,
): string | undefined {
  const open = findings.filter(({ verdict }) => verdict === 'incomplete');
  if (
    open.length === 0 ||
    findings.some(({ trace, fault }) => fault !== undefined || trace?.header.has('fault'))
  )
    return undefined;
  const because = reductionOf(options);
  const why =
    because === undefined
      ? 'With --partition, messages across a cut are not counted'
      : `${because} cannot prove properties of runs`;
  return `not judged: ${quoted(open)}. ${why}; leave that out, or check properties of states only, with --safety.`;
}

/** Which parts of the states take many values, and so multiply them. */
function partsText({ nodes, fields, messages, contents }: Exploration['diagnosis']): string {
  const states = Object.entries(nodes).map(([node, count]) => `${node} ${number(count)}`);
  const values = Object.entries(fields).flatMap(([field, count]) =>
    count > 1 ? [`${field} ${number(count)}`] : [],
  );
  const channels = `${counted(messages, 'message')} in ${counted(contents, 'channel content')}`;
  return [
    `local states: ${few(states, ', ')}`,
    channels,
    ...(values.length === 0 ? [] : [`values: ${few(values, ', ')}`]),
  ].join('; ');
}

/** A warning where the times of a model have a needlessly small common divisor. */
const fineTimeText = ({ fineTime }: Exploration['diagnosis']): string =>
  fineTime === undefined
    ? ''
    : `\nTime passes in steps of ${fineTime.tick} ms, and the longest time is ${fineTime.longest} ms: round the times so that they share a larger divisor.\n`;

/** A warning where an unfinished search might never end. */
function growthText({ growing }: Exploration['diagnosis']): string {
  if (growing.length === 0) return '';
  const fields = growing.map(({ field, least, most }) => `${field} grows (${least} … ${most})`);
  return `${few(fields)}: the search may never end; bound the commands, or normalise.\n`;
}

function completeText({ properties }: Exploration, reduction: string | undefined): string {
  const what =
    reduction === undefined
      ? 'every reachable state'
      : `every reachable state, or an equivalent one (${reduction}),`;
  return `Complete: ${what} was explored.${openAfter(faultOf(properties), properties)}`;
}
