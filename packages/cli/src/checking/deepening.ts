/**
 * Checks that choose the sizes themselves: larger and larger systems.
 *
 * Most mistakes show in small systems, but nobody knows before how small. So a check without sizes
 * explores what schedule.ts names next, until its time is over; then walks go through larger systems,
 * which no search would exhaust. Its result is one result, as if there had been one system.
 */

import { type Walks, walk } from '@conclave/check';
import { budgetFor, budgetRows, warningsOf } from '../input/environment.js';
import { defined } from '../input/options.js';
import { again, againLine, repeatable, requireWritable, withoutOption } from '../output/files.js';
import { counted, duration, titleOf } from '../output/text.js';
import { remark, stopwatch, withProgress } from '../session.js';
import { counterexamples, findingReports, isViolated } from './counterexample.js';
import { whatToTry } from './hints.js';
import { type NetworkCheck, type ProtocolCheck, usualSeconds } from './options.js';
import { conclude, coverageRows, stepsRows } from './outcome.js';
import { type Coverage, isExhausted, overall, overallCoverage } from './overall.js';
import { firstTurn, type Levels, nextTurn, type Size, type Turn, walkedSizes } from './schedule.js';
import { exploreNetwork, notJudgedText } from './search.js';
import { checkOfSize, levelsOf, promisedIn, raisedOptions } from './sizes.js';
import {
  assumptionsIn,
  cutText,
  type Ending,
  type ExploredSystem,
  endings,
  exhaustedText,
  notTriedTexts,
  sizeArguments,
  sizeText,
  systemReport,
  systemRows,
  wasExhausted,
} from './systems.js';

/**
 * Explores every interleaving of larger and larger systems: until one violates a property, until
 * the time is over, or until nothing is left that adds states. Nodes, commands and each fault that
 * the protocol declares to tolerate are raised in turns.
 */
export function checkByDeepening(check: ProtocolCheck): void {
  const { session, protocol, options } = check;
  requireWritable(options);
  remark(session, undefined, warningsOf(protocol, budgetFor(protocol, options)));
  const levels = levelsOf(check);
  const elapsed = stopwatch(session);
  const deepening = deepen(check, levels, elapsed);
  const { maxSeconds = usualSeconds } = options;
  const walks =
    deepening.ending === 'time'
      ? walkFurther(check, levels, deepening.systems, maxSeconds - elapsed())
      : [];
  report(check, levels, { ...deepening, walks, seconds: elapsed() });
}

/** What a check without sizes has done. */
interface Findings extends Deepening {
  readonly walks: readonly WalkedSystem[];
  readonly seconds: number;
}

function report(
  check: ProtocolCheck,
  levels: Levels,
  { systems, last, ending, walks, seconds }: Findings,
): void {
  const { session, protocol, options, fairness } = check;
  const explorations = systems.map(({ exploration }) => exploration);
  const coverage = overallCoverage(explorations);
  const findings = overall(
    explorations,
    walks.map(({ walked }) => walked),
  );
  const walked = reachedByWalks(coverage, walks);
  const notTried = notTriedTexts(check, levels, systems);
  const refuting = systems.find(isRefuting);
  const refutingWalks = walks.find(isRefutedByWalks);
  // where several systems violate a property only together, the last one shows it
  const shown = refuting ?? refutingWalks ?? last;
  const { tick } = 'walked' in shown ? shown.walked : shown.exploration;
  const counterexample = { ...defined({ tick }), properties: findings };
  // a hint does not advise what was tried, such as crashes
  const hinted = refuting ?? systems.findLast(({ size }) => size.crash > 0) ?? last;
  conclude(check, {
    findings,
    limit: ending === 'interrupted' ? ending : undefined,
    incomplete: unfinishedText(systems, last) ?? notJudgedText(findings),
    report: {
      protocol: protocol.name,
      systems: systems.map(systemReport),
      walks: walks.map(walksReport),
      notTried,
      ended: endings[ending],
      seconds,
      properties: findingReports(shown.check, counterexample),
      coverage,
      reachedByWalks: walked,
    },
    summary: () => ({
      title: titleOf(protocol, session.colours),
      rows: [
        ...budgetRows(protocol, budgetFor(protocol, options)).filter(
          ([label]) => label !== 'workload',
        ),
        ['fairness', fairness],
        ...systemRows(systems),
        ...walkRows(walks),
        ['time', duration(seconds)],
        ...stepsRows(explorations.map(({ steps }) => steps)),
        ...coverageRows({ coverage, how: 'taken', walked }),
      ],
      complete: exhaustedText(systems, ending, findings, coverage),
      assumptions: `${assumptionsIn(systems)}${notTriedText(notTried)}`,
      more: [
        ...counterexamples(shown.check, counterexample),
        whatToTry(hinted.check, findings),
        checkAgain(check, [
          ...(refuting ? sizeArguments(levels, refuting) : []),
          ...(refutingWalks && !refuting ? walkArguments(levels, refutingWalks) : []),
        ]),
      ],
    }),
  });
}

/** How to repeat what refutes a property by itself; empty where nothing does. */
const checkAgain = ({ session, options }: ProtocolCheck, size: readonly string[]): string =>
  size.length === 0
    ? ''
    : againLine([...withoutOption(session.argv, 'max-seconds'), ...size], options);

const isRefuting = ({ exploration }: ExploredSystem): boolean =>
  exploration.properties.some(isViolated);

const notTriedText = (notTried: readonly string[]): string =>
  notTried.length === 0 ? '' : `Not tried: ${notTried.join('; ')}.\n`;

/** Why the check ended too early; undefined where it exhausted systems until its end. */
function unfinishedText(
  systems: readonly ExploredSystem[],
  last: ExploredSystem,
): string | undefined {
  const exhausted = systems.filter(wasExhausted).length;
  if (last.exploration.limit !== 'interrupted' && exhausted > 0) return undefined;
  const proved =
    exhausted > 0 ? `${counted(exhausted, 'system')} exhausted` : 'nothing is proved to hold';
  return `${cutText(last)}; ${proved}.`;
}

/** Explores one system; where its nodes fail, only what `tolerates` promises is judged. */
function exploreOne(check: ProtocolCheck, levels: Levels, { size, seconds }: Turn): ExploredSystem {
  const elapsed = stopwatch(check.session);
  const unlimited = checkOfSize(check, levels, size);
  const options = { ...unlimited.options, maxSeconds: Math.max(0, seconds) };
  const system = { ...unlimited, options };
  const found = exploreNetwork(system);
  const exploration = { ...found, properties: promisedIn(levels, size, found.properties) };
  const cutAfter = isExhausted(found) ? undefined : found.limit === 'seconds' ? seconds : Infinity;
  return {
    ...{ check: system, size, exploration, states: found.states, seconds: elapsed() },
    text: sizeText(levels, system.topology, size),
    ...defined({ cutAfter }),
  };
}

/** The part of the time for walks through larger systems, after the search. */
const walkedPart = 1 / 5;

interface Deepening {
  readonly systems: readonly ExploredSystem[];
  readonly last: ExploredSystem;
  /** Why no further system was explored. */
  readonly ending: Ending;
}

/**
 * Explores one system after the other. If one was cut and explored again, its last result counts.
 */
function deepen(check: ProtocolCheck, levels: Levels, elapsed: () => number): Deepening {
  const { maxSeconds = usualSeconds } = check.options;
  const total = maxSeconds * (1 - walkedPart);
  let last = exploreOne(check, levels, firstTurn(levels, total, total - elapsed()));
  let systems: readonly ExploredSystem[] = [last];
  for (;;) {
    if (isRefuting(last)) return { systems, last, ending: 'violated' };
    if (last.exploration.limit === 'interrupted') return { systems, last, ending: 'interrupted' };
    const remaining = total - elapsed();
    if (remaining <= 0) return { systems, last, ending: 'time' };
    const turn = nextTurn(levels, systems, total, remaining);
    if (!turn) return { systems, last, ending: systems.every(wasExhausted) ? 'sizes' : 'time' };
    last = exploreOne(check, levels, turn);
    const { text } = last;
    systems = [...systems.filter((system) => system.text !== text), last];
  }
}

// Walks through larger systems, with the time that a check without sizes leaves.

/** One system that is not exhausted, and what walks have found in it. */
interface WalkedSystem {
  readonly text: string;
  readonly size: Size;
  readonly check: NetworkCheck;
  readonly walked: Walks;
}

/** How long each walk is at most, and how many there are if the time does not end them. */
const [mostSteps, mostWalks] = [300, 1_000_000];
const seed = 1;

/** Walks through systems that are larger than those that were explored, until one is refuted. */
function walkFurther(
  check: ProtocolCheck,
  levels: Levels,
  systems: readonly ExploredSystem[],
  seconds: number,
): readonly WalkedSystem[] {
  const sizes = walkedSizes(levels, systems);
  const elapsed = stopwatch(check.session);
  const walks: WalkedSystem[] = [];
  for (const [index, size] of sizes.entries()) {
    const end = (seconds * (index + 1)) / sizes.length;
    const isOver = () => elapsed() >= end || check.session.interrupted?.() === true;
    if (isOver()) continue;
    const walked = walkOne(check, levels, size, isOver);
    walks.push(walked);
    if (isRefutedByWalks(walked)) break;
  }
  return walks;
}

function walkOne(
  check: ProtocolCheck,
  levels: Levels,
  size: Size,
  stop: () => boolean,
): WalkedSystem {
  const system = checkOfSize(check, levels, size);
  const { session, protocol, topology, budget, properties } = system;
  const { limit: _, ...found } = withProgress(session, (show) => {
    const onProgress = (made: number, taken: number) =>
      show(() => `walking: ${counted(made, 'walk')}, ${counted(taken, 'step')}`);
    const settings = { ...budget, properties, seed, walks: mostWalks, steps: mostSteps };
    return repeatable(again(session.argv), () =>
      walk(protocol, topology, { ...settings, coverage: true, stop, onProgress }),
    );
  });
  const walked = { ...found, properties: promisedIn(levels, size, found.properties) };
  return { text: sizeText(levels, topology, size), size, check: system, walked };
}

const isRefutedByWalks = ({ walked }: WalkedSystem): boolean => walked.properties.some(isViolated);

/** The options that repeat the walks. */
const walkArguments = (
  levels: Levels,
  { check, size, walked }: WalkedSystem,
): readonly string[] => {
  const options = {
    topology: check.topology.spec,
    ...raisedOptions(levels, size),
    walks: walked.walks,
    'max-depth': mostSteps,
    seed,
  };
  return Object.entries(options).flatMap(([option, value]) => [`--${option}`, String(value)]);
};

/** `complete:4 with up to 3 commands each: 1,200 walks, 31,000 steps` */
const walkRows = (walks: readonly WalkedSystem[]): string[][] =>
  walks.map(({ text, walked }, index) => [
    index === 0 ? 'walks' : '',
    `${text}: ${counted(walked.walks, 'walk')}, ${counted(walked.steps, 'step')}, not exhausted`,
  ]);

/** What `--json` prints of walks. */
const walksReport = ({ check, size, walked }: WalkedSystem) => {
  const { nodes: _, ...raised } = size;
  const { walks, steps, states, properties } = walked;
  return {
    ...{ topology: check.topology.spec, ...raised, seed, walks, steps, states },
    properties: properties.map(({ name, verdict }) => ({ name, verdict })),
  };
};

/** By role: the transitions that walks have reached and the search has not. */
const reachedByWalks = (
  coverage: Coverage,
  walks: readonly WalkedSystem[],
): readonly { readonly role: string; readonly transitions: readonly string[] }[] =>
  coverage.map(({ role, missed }) => {
    const roles = walks.flatMap(({ walked }) =>
      (walked.coverage ?? []).filter((other) => other.role === role),
    );
    const transitions = missed.filter((one) => roles.some((other) => !other.missed.includes(one)));
    return { role, transitions };
  });
