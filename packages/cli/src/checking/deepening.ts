/** Checks that choose the sizes themselves: larger and larger systems. */
import { standardProperties } from '@conclave/core/internal/protocol';
import { budgetFor, budgetRows, warningsOf } from '../input/environment.js';
import { defined } from '../input/options.js';
import { counted, duration, titleOf } from '../output/text.js';
import { againLine, requireWritable, withoutOption } from '../output/trace.js';
import { remark, stopwatch } from '../session.js';
import type { ProtocolCheck } from './check.js';
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
import { isPromised, levelsOf, mayFail, notTriedTexts, raisedOptions, sizeText } from './sizes.js';
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

const [, noDeadlock] = standardProperties;

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
  const seconds = elapsed();
  const explorations = systems.map(({ exploration }) => exploration);
  const [findings, coverage] = [overall(explorations), overallCoverage(explorations)];
  const notTried = notTriedTexts(check, levels, systems);
  const refuting = systems.find(isRefuting);
  const shown = refuting ?? last; // a property that they violate together, the last one does
  const found = { ...shown.exploration, properties: findings };
  // a hint does not advise what was tried
  const tried = refuting ?? systems.findLast(({ size }) => size.crash > 0) ?? last;
  conclude(check, {
    findings,
    limit: ending === 'interrupted' ? ending : undefined,
    incomplete: unfinishedText(systems, last) ?? notJudgedText(check, findings),
    report: {
      protocol: protocol.name,
      systems: systems.map(systemReport),
      notTried,
      ended: endings[ending],
      seconds,
      properties: findingReports(shown.check, found),
      coverage,
    },
    summary: () => ({
      title: titleOf(protocol, session.colours),
      rows: [
        ...budgetRows(protocol, budget).filter(([label]) => label !== 'workload'),
        ['fairness', fairness],
        ...systemRows(systems),
        ['time', duration(seconds)],
        ...stepsRows(explorations.map(({ steps }) => steps)),
        ...coverageRows({ coverage, complete: true }),
      ],
      complete: exhaustedText(systems, ending, findings, coverage),
      assumptions: `${assumptionsIn(systems)}${notTriedText(notTried)}`,
      more: [
        ...counterexamples(shown.check, found),
        whatToTry(tried.check, findings),
        refuting
          ? againLine(
              [...withoutOption(session.argv, 'for'), ...sizeArguments(levels, refuting)],
              options,
            )
          : '',
      ],
    }),
  });
}

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
  const { session, protocol } = check;
  const elapsed = stopwatch(session);
  const topology = protocol.topology.example(size.nodes);
  const options = {
    ...check.options,
    ...raisedOptions(levels, size),
    maxSeconds: Math.max(0, seconds),
  };
  const isSafetyOnly = mayFail(levels, size);
  const properties = isSafetyOnly
    ? check.properties.filter((property) => isPromised(property, size))
    : check.properties;
  const budget = budgetFor(protocol, options);
  const one = { ...check, options, topology, budget, properties };
  const all = exploreNetwork(one);
  const exploration = isSafetyOnly
    ? { ...all, properties: all.properties.filter(({ name }) => name !== noDeadlock) }
    : all;
  const cutAfter = isExhausted(all) ? undefined : all.limit === 'seconds' ? seconds : Infinity;
  return {
    ...{ check: one, size, exploration, states: all.states, seconds: elapsed() },
    text: sizeText(levels, topology, size),
    ...defined({ cutAfter }),
  };
}

interface Deepening {
  readonly systems: readonly ExploredSystem[];
  readonly last: ExploredSystem;
  /** Why there is no further one. */
  readonly ending: Ending;
}

/** Of a system that was cut and explored again, the last result counts. */
function deepen(check: ProtocolCheck, levels: Levels, elapsed: () => number): Deepening {
  const { for: whole = usualSeconds } = check.options;
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
