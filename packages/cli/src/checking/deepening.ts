/** Checks that choose the sizes themselves: larger and larger systems. */
import { budgetFor, budgetRows, warningsOf } from '../input/environment.js';
import { defined } from '../input/options.js';
import { counted, duration, titleOf } from '../output/text.js';
import { againLine, requireWritable, withoutOption } from '../output/trace.js';
import { remark, stopwatch } from '../session.js';
import type { ProtocolCheck } from './check.js';
import {
  isRefutedByWalks,
  reachedByWalks,
  walkArguments,
  walkFurther,
  walkRows,
  walksReport,
} from './further.js';
import { whatToTry } from './hints.js';
import { notJudgedText } from './limits.js';
import { usualSeconds } from './options.js';
import {
  conclude,
  counterexamples,
  coverageRows,
  findingReports,
  isViolated,
  stepsRows,
} from './outcome.js';
import { isExhausted, overall, overallCoverage } from './overall.js';
import { firstTurn, type Levels, nextTurn, type Turn } from './schedule.js';
import { exploreNetwork } from './search.js';
import { checkOfSize, levelsOf, notTriedTexts, promisedIn, sizeText } from './sizes.js';
import {
  assumptionsIn,
  cutText,
  type Ending,
  type ExploredSystem,
  endings,
  exhaustedText,
  sizeArguments,
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
  const { session, protocol, options, fairness } = check;
  requireWritable(options);
  const budget = budgetFor(protocol, options);
  remark(session, undefined, warningsOf(protocol, budget));
  const levels = levelsOf(check);
  const elapsed = stopwatch(session);
  const { systems, last, ending } = deepen(check, levels, elapsed);
  const { maxSeconds: whole = usualSeconds } = options;
  const walks = ending === 'time' ? walkFurther(check, levels, systems, whole - elapsed()) : [];
  const seconds = elapsed();
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
  // a property that they violate together, the last one does
  const shown = refuting ?? refutingWalks ?? last;
  const { tick } = 'walked' in shown ? shown.walked : shown.exploration;
  const found = { ...defined({ tick }), properties: findings };
  // a hint does not advise what was tried
  const tried = refuting ?? systems.findLast(({ size }) => size.crash > 0) ?? last;
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
      properties: findingReports(shown.check, found),
      coverage,
      reachedByWalks: walked,
    },
    summary: () => ({
      title: titleOf(protocol, session.colours),
      rows: [
        ...budgetRows(protocol, budget).filter(([label]) => label !== 'workload'),
        ['fairness', fairness],
        ...systemRows(systems),
        ...walkRows(walks),
        ['time', duration(seconds)],
        ...stepsRows(explorations.map(({ steps }) => steps)),
        ...coverageRows({ coverage, taken: 'taken', walked }),
      ],
      complete: exhaustedText(systems, ending, findings, coverage),
      assumptions: `${assumptionsIn(systems)}${notTriedText(notTried)}`,
      more: [
        ...counterexamples(shown.check, found),
        whatToTry(tried.check, findings),
        again(check, [
          ...(refuting ? sizeArguments(levels, refuting) : []),
          ...(refutingWalks && !refuting ? walkArguments(levels, refutingWalks) : []),
        ]),
      ],
    }),
  });
}

/** How to repeat what refutes a property by itself; empty where nothing does. */
const again = ({ session, options }: ProtocolCheck, size: readonly string[]): string =>
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
  const system = checkOfSize(check, levels, size);
  const one = { ...system, options: { ...system.options, maxSeconds: Math.max(0, seconds) } };
  const { topology } = one;
  const all = exploreNetwork(one);
  const exploration = { ...all, properties: promisedIn(levels, size, all.properties) };
  const cutAfter = isExhausted(all) ? undefined : all.limit === 'seconds' ? seconds : Infinity;
  return {
    ...{ check: one, size, exploration, states: all.states, seconds: elapsed() },
    text: sizeText(levels, topology, size),
    ...defined({ cutAfter }),
  };
}

/** The part of the time for walks through larger systems, after the search. */
const walkedPart = 1 / 5;

interface Deepening {
  readonly systems: readonly ExploredSystem[];
  readonly last: ExploredSystem;
  /** Why there is no further one. */
  readonly ending: Ending;
}

/** Of a system that was cut and explored again, the last result counts. */
function deepen(check: ProtocolCheck, levels: Levels, elapsed: () => number): Deepening {
  const { maxSeconds: all = usualSeconds } = check.options;
  const whole = all * (1 - walkedPart);
  let last = exploreOne(check, levels, firstTurn(levels, whole, whole - elapsed()));
  let systems: readonly ExploredSystem[] = [last];
  for (;;) {
    if (isRefuting(last)) return { systems, last, ending: 'violated' };
    if (last.exploration.limit === 'interrupted') return { systems, last, ending: 'interrupted' };
    const left = whole - elapsed();
    if (left <= 0) return { systems, last, ending: 'time' };
    const turn = nextTurn(levels, systems, whole, left);
    if (!turn) return { systems, last, ending: systems.every(wasExhausted) ? 'sizes' : 'time' };
    last = exploreOne(check, levels, turn);
    const { text } = last;
    systems = [...systems.filter((system) => system.text !== text), last];
  }
}
