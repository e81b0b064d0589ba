/** Checks that choose the sizes themselves: larger and larger systems. */
import type { Exploration, RoleCoverage } from '@conclave/core/exploration';
import { standardProperties } from '@conclave/core/internal/protocol';
import type { Protocol } from '@conclave/core/protocol';
import type { Topology } from '@conclave/core/topology';
import { budgetFor, budgetRows, type CheckBudget } from '../input/environment.js';
import { defined } from '../input/options.js';
import { counted, duration, titleOf } from '../output/text.js';
import { againLine, requireWritable, withoutOption, written } from '../output/trace.js';
import { remark, type Session, stopwatch } from '../session.js';
import { whatToTry } from './hints.js';
import { type CheckOptions, requireConsistent, usualSeconds } from './options.js';
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
import { isExhausted, overall, overallCoverage } from './overall.js';
import { type Levels, largestOf, nextTurn, type Tried, type Turn } from './schedule.js';
import { explored, limitsOf, longPathsOf, notJudgedText, warningsOf } from './search.js';
import { isPromised, levelsOf, mayFail, notTriedTexts, raisedOptions, sizeText } from './sizes.js';

const [, noDeadlock] = standardProperties;

/** One system, and what was found in it. */
interface Explored extends Tried {
  /** Such as `complete:3 with one command each`. */
  readonly text: string;
  readonly topology: Topology;
  readonly budget: CheckBudget;
  readonly exploration: Exploration;
}

/** Why it explored no further system. */
type Ending = 'violated' | 'time' | 'sizes' | 'interrupted';

/**
 * Explores every interleaving of larger and larger systems: until one violates a property, until
 * the time is over, or until nothing is left that adds states. Nodes, commands and each fault that
 * the protocol declares to tolerate are raised in turns.
 */
export function checkByDeepening(
  session: Session,
  name: string,
  protocol: Protocol,
  options: CheckOptions,
): void {
  requireConsistent(protocol, options);
  const { leftOut } = judgedOf(protocol.properties, options);
  const { for: seconds = usualSeconds, fair: fairness = 'weak' } = options;
  requireWritable(options);
  remark(session, undefined, warningsOf(protocol, budgetFor(protocol, options)));
  const levels = levelsOf(protocol, options);
  const elapsed = stopwatch(session);
  const exploreOne = (turn: Turn) => exploredOne(session, { protocol, options, levels, turn });
  const { systems, ending } = deepen(levels, exploreOne, seconds, elapsed);
  const explorations = systems.map(({ exploration }) => exploration);
  const [findings, coverage] = [overall(explorations), overallCoverage(explorations)];
  const left = notTriedTexts(protocol, options, levels, systems);
  const last = systems.at(-1);
  const limit = ending === 'interrupted' ? 'interrupted' : undefined;
  const exhausted = systems.filter(wasExhausted);
  const cut = last && !wasExhausted(last) ? cutText(last) : 'it ended';
  const incomplete =
    limit === 'interrupted' || exhausted.length === 0
      ? `${cut}; ${exhausted.length > 0 ? `${counted(exhausted.length, 'system')} exhausted` : 'nothing is proved to hold'}.`
      : notJudgedText(findings, options);
  const refuting = systems.find(({ exploration }) => exploration.properties.some(isViolated));
  const shown = refuting ?? last; // a property that they violate together, the last one does
  // a hint does not advise what was tried
  const tried = refuting ?? systems.findLast(({ size }) => size.crash > 0) ?? last;
  const checked = shown && {
    name,
    protocol,
    ...shown,
    ...defined({ tick: shown.exploration.tick }),
  };
  const traceNote = written(name, options, findings.find(isViolated)?.trace);
  const spent = elapsed();
  conclude(session, options, {
    ...{ findings, limit, incomplete, leftOut },
    report: {
      protocol: protocol.name,
      systems: systems.map(systemReport),
      notTried: left,
      ...{
        ended: endings[ending],
        seconds: spent,
        properties: checked ? findingReports(findings, checked) : [],
        coverage,
      },
    },
    summary: () => ({
      title: titleOf(protocol, session.colours),
      rows: [
        ...budgetRows(protocol, budgetFor(protocol, options)).filter(
          ([label]) => label !== 'workload',
        ),
        ['fairness', fairness],
        ...systemRows(systems),
        ['time', duration(spent)],
        ...stepsRows(explorations.map(({ steps }) => steps)),
        ...coverageRows({ coverage, complete: true }),
      ],
      complete: exhaustedText({ systems, ending, coverage, findings }),
      assumptions: `${assumptionsText(assumptionsIn(systems))}${notTriedText(left)}`,
      more: [
        ...(checked ? counterexamples(findings, checked, options, session.colours) : []),
        ...(tried
          ? [
              whatToTry(
                { protocol, budget: tried.budget, fairness, longPaths: longPathsOf(options) },
                findings,
              ),
            ]
          : []),
        refuting
          ? againLine(
              [...withoutOption(session.argv, 'for'), ...sizeArguments(levels, refuting)],
              options,
            )
          : '',
        traceNote,
      ],
    }),
  });
}

interface Asked {
  readonly protocol: Protocol;
  readonly options: CheckOptions;
  readonly levels: Levels;
  readonly turn: Turn;
}

/** Explores one system; where its nodes fail, only what `tolerates` promises is judged. */
function exploredOne(session: Session, { protocol, options, levels, turn }: Asked): Explored {
  const elapsed = stopwatch(session);
  const { size } = turn;
  const topology = protocol.topology.example(size.nodes);
  const budget = budgetFor(protocol, { ...options, ...raisedOptions(levels, size) });
  const { properties: judged } = judgedOf(protocol.properties, options);
  const isSafetyOnly = mayFail(levels, size);
  const properties = isSafetyOnly
    ? judged.filter((property) => isPromised(property, size))
    : judged;
  const limits = limitsOf({ ...options, maxSeconds: Math.max(0, turn.seconds) }, session);
  const all = explored(session, { protocol, topology, budget, properties, limits }, options);
  const exploration = isSafetyOnly
    ? { ...all, properties: all.properties.filter(({ name }) => name !== noDeadlock) }
    : all;
  const cutAfter = isExhausted(all) ? undefined : all.limit === 'seconds' ? turn.seconds : Infinity;
  const text = sizeText(levels, topology, size);
  return {
    size,
    text,
    topology,
    budget,
    exploration,
    states: all.states,
    seconds: elapsed(),
    ...defined({ cutAfter }),
  };
}

/**
 * The systems that were explored, and why there is no further one. Of one that was cut and explored
 * again, the last result counts.
 */
function deepen(
  levels: Levels,
  exploreOne: (turn: Turn) => Explored,
  whole: number,
  elapsed: () => number,
): { readonly systems: readonly Explored[]; readonly ending: Ending } {
  let systems: readonly Explored[] = [];
  for (;;) {
    const left = whole - elapsed();
    if (systems.length > 0 && left <= 0) return { systems, ending: 'time' };
    const turn = nextTurn(levels, systems, whole, left);
    if (!turn) return { systems, ending: systems.every(wasExhausted) ? 'sizes' : 'time' };
    const system = exploreOne(turn);
    systems = [...systems.filter(({ text }) => text !== system.text), system];
    if (system.exploration.properties.some(isViolated)) return { systems, ending: 'violated' };
    if (system.exploration.limit === 'interrupted') return { systems, ending: 'interrupted' };
  }
}

const wasExhausted = ({ cutAfter }: Tried): boolean => cutAfter === undefined;

/** The options that repeat the exploration of one system. */
const sizeArguments = (levels: Levels, { topology, size }: Explored): readonly string[] => [
  ...['--topology', topology.spec],
  ...Object.entries(raisedOptions(levels, size)).flatMap(([option, value]) => [
    `--${option}`,
    String(value),
  ]),
];

const endings: Readonly<Record<Ending, string>> = {
  violated: 'a property is violated',
  time: 'the time is over',
  sizes: 'nothing is left that adds states',
  interrupted: 'it was interrupted',
};

function systemReport({ topology, size, exploration }: Explored) {
  const { states, transitions, depth, steps, seconds, complete, limit, assumptions, properties } =
    exploration;
  const { nodes: _, ...raised } = size;
  return {
    ...{ topology: topology.spec, ...raised },
    ...{
      states,
      transitions,
      depth,
      steps,
      seconds,
      complete,
      limit,
      assumptions,
    },
    properties: properties.map(({ name, verdict }) => ({ name, verdict })),
  };
}

/**
 * How many systems are listed one by one; of more, those that were cut and the largest of the
 * others.
 */
const mostListed = 16;

/** `ring:2 with one command each: 35 states, 72 transitions, depth 9` */
function systemRows(systems: readonly Explored[]): string[][] {
  const largest = new Set(largestOf(systems.filter(wasExhausted)));
  const listed = systems.filter(
    (system) => systems.length <= mostListed || largest.has(system) || !wasExhausted(system),
  );
  const rows = listed.map(
    (system) =>
      `${system.text}: ${sizeOf(system.exploration)}${wasExhausted(system) ? '' : `, ${cutText(system)}`}`,
  );
  const more = systems.length - listed.length;
  const others =
    more === 0
      ? []
      : [
          `and ${counted(more, 'system')} on these networks with fewer commands or faults; --json lists all`,
        ];
  return [...rows, ...others].map((text, index) => [index === 0 ? 'systems' : '', text]);
}

/** Why a system was not finished. */
function cutText({ exploration, cutAfter = 0 }: Explored): string {
  const { limit } = exploration;
  if (limit === 'seconds') return `cut after ${duration(cutAfter)}`;
  if (limit === 'memory') return 'cut by --max-memory';
  return limit === 'interrupted' ? 'interrupted' : 'cut';
}

/** Each once; that of how much fails, which differs between the systems, for all together. */
function assumptionsIn(systems: readonly Explored[]): readonly string[] {
  const all = new Set(systems.flatMap(({ exploration }) => exploration.assumptions));
  const others = [...all].filter(
    (assumption) => !assumption.startsWith('that no more fails than this'),
  );
  return others.length < all.size
    ? ['that no more fails than in these systems', ...others]
    : others;
}

const notTriedText = (left: readonly string[]): string =>
  left.length === 0 ? '' : `Not tried: ${left.join('; ')}.\n`;

interface Deepened {
  readonly systems: readonly Explored[];
  readonly ending: Ending;
  readonly coverage: readonly RoleCoverage[];
  readonly findings: Exploration['properties'];
}

/** What was exhausted, what was not, and why. */
function exhaustedText({ systems, ending, coverage, findings }: Deepened): string {
  const [done, cut] = [
    systems.filter(wasExhausted),
    systems.filter((system) => !wasExhausted(system)),
  ];
  const which =
    done.length === 1
      ? done[0]?.text
      : `the ${counted(done.length, 'system')}${cut.length > 0 ? ' that were not cut' : ' above'}`;
  const exhausted = `Exhausted: every reachable state of ${which} was explored.`;
  if (ending === 'violated')
    return done.length === 0
      ? 'Stopped at a violation.'
      : `${exhausted}${openAfter(faultOf(findings), findings)}`;
  if (ending === 'sizes') return `${exhausted} Nothing is left that adds states.`;
  const missing = coverage.some(({ missed }) => missed.length > 0)
    ? ' Transitions that were never taken are not checked either.'
    : '';
  const unproved = cut.length > 0 ? ' What was cut proves nothing.' : '';
  return `${exhausted}${unproved}${missing} How many systems fit into the time depends on the machine: continue with --for 1m, or choose one with --topology.`;
}
