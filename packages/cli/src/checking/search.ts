/** Checks of one system by a search through every interleaving, and the limits that may end it. */
import { getHeapStatistics } from 'node:v8';
import { type Exploration, type ExploreOptions, explore } from '@conclave/check';
import { optionalCommands } from '@conclave/core/internal';
import { readableLines } from '@conclave/core/internal/trace';
import { ConclaveError, type Protocol } from '@conclave/core/protocol';
import { linesText, traceText } from '@conclave/core/trace';
import { isConclaveError } from '../errors.js';
import { yourMachine } from '../input/module.js';
import { defined } from '../input/options.js';
import { again, againLine, repeatable } from '../output/files.js';
import { counted, duration, few, number, quoted, titleOf, type Verdict } from '../output/text.js';
import { type Session, stopOf, withProgress } from '../session.js';
import { counterexampleIn, counterexamples, findingReports } from './counterexample.js';
import { whatToTry } from './hints.js';
import type { Check, NetworkCheck } from './options.js';
import {
  assumptionsText,
  conclude,
  coverageRows,
  exploredText,
  networkRows,
  runsEndAt,
  sizeOf,
  stepsRows,
} from './outcome.js';

/** Explores every interleaving of a protocol, or those that the options leave. */
export function checkBySearch(check: NetworkCheck): void {
  const { session, protocol, options, fairness } = check;
  const exploration = exploreNetwork(check);
  const { properties: findings, coverage = [], deadEnds, diagnosis, ...found } = exploration;
  const { complete, limit, assumptions, steps } = found;
  conclude(check, {
    ...{ findings, limit },
    incomplete: limitText(check, exploration) ?? notJudgedText(findings),
    report: {
      ...found,
      properties: findingReports(check, exploration),
      ...{ coverage, diagnosis },
      deadEnds: deadEnds && { ...deadEnds, trace: traceText(deadEnds.trace) },
    },
    summary: () => ({
      title: titleOf(protocol, session.colours),
      rows: [
        ...networkRows(check),
        ['fairness', fairness],
        ...searchRows(exploration),
        ...stepsRows([steps]),
        ['made of', partsText(diagnosis)],
        ...coverageRows({ coverage, how: complete ? 'taken' : 'taken so far' }),
        ...(deadEnds ? [['', `no final state from: ${few(deadEnds.states)}`]] : []),
      ],
      complete: completeText(exploration),
      advice: complete
        ? ''
        : ` Unexplored states may violate any property.${limit === 'interrupted' ? '' : furtherText}`,
      assumptions: `${assumptionsText(assumptions)}${complete ? '' : growthText(diagnosis, check)}${fineTimeText(diagnosis)}`,
      more: [
        ...counterexamples(check, exploration),
        deadEnds ? deadEndText(protocol, deadEnds) : '',
        whatToTry(check, findings),
        counterexampleIn(findings) ? againLine(session.argv, options) : '',
      ],
    }),
  });
}

/** It judges nothing: a machine may have a state for what has failed. */
const deadEndText = (
  protocol: Protocol,
  { states, trace }: NonNullable<Exploration['deadEnds']>,
): string =>
  `No final state can be reached from ${states[0]} any more:\n${linesText(readableLines(protocol, trace.lines))}`;

/** What may help where a limit was reached. */
const furtherText = ' Raise the limit or choose a smaller system; --walks samples.';

/** Explores one system as the options say. */
export function exploreNetwork(check: NetworkCheck): Exploration {
  const { session, protocol, topology, budget, from, properties, options, fairness } = check;
  const { search = 'breadth', counterexamples } = options;
  const limits = limitsOf(check);
  return withSearchProgress(session, (onProgress) => {
    try {
      return explore(protocol, topology, {
        ...budget,
        ...{ properties, fairness, limits, search, onProgress },
        ...defined({ from, counterexamples }),
        coverage: true,
      });
    } catch (error) {
      const isBare = protocol.drawn && isConclaveError(error) && error.code === 'impure';
      throw isBare ? new ConclaveError(error.code, error.what, asField) : error;
    }
  });
}

/** What a machine does in place of asking a clock, which is no node and draws nothing. */
const asField = `Give the value as a field of the event: ${yourMachine}#what-is-refused.`;

/** A search with progress, whose errors say how to repeat it. */
export function withSearchProgress<T>(
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

type Found = Pick<Exploration, 'states' | 'transitions' | 'depth' | 'width' | 'seconds'>;

export const searchRows = (found: Found): string[][] => [
  ['found', `${sizeOf(found)}, width ${number(found.width)}`],
  ['time', `${duration(found.seconds)}, ${speed(found.states, found.seconds)}`],
];

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
function growthText(
  { growing, fields: values }: Exploration['diagnosis'],
  { protocol, budget }: NetworkCheck,
): string {
  if (growing.length === 0) return protocol.drawn ? listText(values) : '';
  const fields = growing.map(({ field, least, most }) => `${field} grows (${least} … ${most})`);
  const mayBeFewer = budget.commands !== 1 && optionalCommands(protocol).length > 0;
  const fewer = mayBeFewer ? '; give fewer --entries' : '';
  return `${few(fields)}: if that goes on for ever, so does the search${fewer}.\n`;
}

/** A list that each event of a bare machine makes longer. */
function listText(values: Exploration['diagnosis']['fields']): string {
  const [field, count] = Object.entries(values).sort(([, one], [, other]) => other - one)[0] ?? [];
  return count === undefined || count < 50
    ? ''
    : `${field} takes ${number(count)} values: if it grows with each event, so does the search; bound the events, as by --entries 4.\n`;
}

const completeText = ({ properties }: Exploration): string =>
  `Complete: ${exploredText('', runsEndAt(properties), properties)}`;

// The limits of a search, and what it leaves open.

/**
 * Limits from the options. The default limit of memory is the explorer's: most of this machine's.
 */
export function limitsOf({
  session,
  options: { maxStates = Infinity, maxMemory, maxSeconds = Infinity, maxDepth = Infinity },
}: Pick<Check<unknown>, 'session' | 'options'>): NonNullable<ExploreOptions['limits']> {
  return {
    states: maxStates,
    seconds: maxSeconds,
    depth: maxDepth,
    ...defined({ memory: maxMemory }),
    ...stopOf(session),
  };
}

type Limit = NonNullable<Exploration['limit']>;

interface Judged {
  readonly complete: boolean;
  readonly limit?: Limit;
  readonly states: number;
  readonly properties: readonly { readonly name: string; readonly verdict: Verdict }[];
}

/** What a limit left open; undefined when nothing is. */
export function limitText(
  check: Check<unknown>,
  { complete, limit, states, properties }: Judged,
): string | undefined {
  const reached = limit === undefined ? 'the search ended early' : reachedText(check, limit);
  if (!complete)
    return `${reached} with ${counted(states, 'state')} found; nothing is proved to hold.`;
  const open = properties.filter(({ verdict }) => verdict === 'incomplete');
  if (limit === undefined || open.length === 0) return undefined;
  return `not judged: ${quoted(open)}. All states were found, but ${reached} before these were decided.`;
}

/** The limit that was reached, with its option. */
function reachedText(check: Check<unknown>, limit: Limit): string {
  if (limit === 'interrupted') return 'interrupted';
  const { memory, ...others } = limitsOf(check);
  if (limit !== 'memory') return `--max-${limit} ${others[limit]} was reached`;
  if (memory !== undefined && memory * 2 ** 20 < getHeapStatistics().heap_size_limit)
    return `--max-memory ${memory} was reached`;
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
export function notJudgedText(findings: readonly Finding[]): string | undefined {
  const open = findings.filter(({ verdict }) => verdict === 'incomplete');
  if (
    open.length === 0 ||
    findings.some(({ trace, fault }) => fault !== undefined || trace?.header.has('fault'))
  )
    return undefined;
  return `not judged: ${quoted(open)}. With --partition, messages across a cut are not counted; leave that out, or check properties of states only, with --safety.`;
}
