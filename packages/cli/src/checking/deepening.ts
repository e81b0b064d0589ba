/** Checks that choose the sizes themselves: larger and larger systems. */
import { type Exploration, explore } from '@conclave/core/exploration';
import { ConclaveError, optionalCommands, type Protocol } from '@conclave/core/protocol';
import type { Topology } from '@conclave/core/topology';
import { budgetFor, budgetRows, type CheckBudget } from '../input/environment.js';
import { defined } from '../input/options.js';
import { duration, titleOf, type Verdict } from '../output/text.js';
import { againLine, requireWritable, withoutOption, written } from '../output/trace.js';
import { remark, type Session } from '../session.js';
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
import { explored, limitsOf, longPathsOf, notJudgedText, warningsOf } from './search.js';

type RoleCoverage = NonNullable<Exploration['coverage']>[number];

/** A network, and how many commands each node gets. */
interface Size {
  readonly topology: Topology;
  readonly entries: number;
}

/** One system, and what was found in it. */
interface Explored extends Size {
  readonly budget: CheckBudget;
  readonly exploration: Exploration;
}

/** Why it explored no larger system; of `cut`, the last system was not finished. */
type Ending = 'violated' | 'covered' | 'time' | 'sizes' | 'cut';

/** How many larger systems must add nothing to a full coverage before it stops. */
const quietSystems = 2;

/**
 * Explores every interleaving of larger and larger systems: until one violates a property, until every 'sometimes' is reached and two larger systems
 * have added nothing to a full coverage, or until the time is over.
 */
export function checkByDeepening(session: Session, name: string, protocol: Protocol, options: CheckOptions): void {
  requireConsistent(protocol, options);
  const { properties, leftOut } = judgedOf(protocol.properties, options);
  const { for: seconds = usualSeconds, fair: fairness = 'weak' } = options;
  requireWritable(options);
  remark(session, undefined, warningsOf(protocol, budgetFor(protocol, options)));

  const started = performance.now();
  const elapsed = () => (performance.now() - started) / 1000;
  const exploreOne = ({ topology, entries }: Size): Explored => {
    const budget = budgetFor(protocol, entries === 1 ? options : { ...options, entries });
    const limits = limitsOf({ ...options, maxSeconds: Math.max(0, seconds - elapsed()) }, session);
    return { topology, entries, budget, exploration: explored(session, { protocol, topology, budget, properties, limits }, options) };
  };
  const { systems, ending } = deepen(protocol, exploreOne, () => elapsed() >= seconds);
  const explorations = systems.map(({ exploration }) => exploration);
  const [findings, coverage] = [overall(explorations), overallCoverage(explorations)];
  const last = systems.at(-1);
  const limit = last?.exploration.limit;
  const exhausted = systems.findLast(({ exploration }) => isExhausted(exploration));
  const incomplete =
    limit === 'interrupted' || exhausted === undefined
      ? `${last ? cutText(last, seconds) : 'nothing was explored'}; ${exhausted ? `exhausted up to ${sizeText(exhausted)}` : 'nothing is proved to hold'}.`
      : notJudgedText(findings, options);
  const refuting = systems.find(({ exploration }) => exploration.properties.some(isViolated));
  const shown = refuting ?? last; // a property that they violate together, the last one does
  const checked = shown && { name, protocol, ...shown, ...defined({ tick: shown.exploration.tick }) };
  const traceNote = written(name, options, findings.find(isViolated)?.trace);
  const spent = elapsed();
  conclude(session, options, {
    ...{ findings, limit, incomplete, leftOut },
    report: {
      protocol: protocol.name,
      systems: systems.map(systemReport),
      exhausted: exhausted && { topology: exhausted.topology.spec, entries: exhausted.entries },
      ...{ ended: endings[ending], seconds: spent, properties: checked ? findingReports(findings, checked) : [], coverage },
    },
    summary: () => ({
      title: titleOf(protocol, session.colours),
      rows: [
        ...systems.slice(0, 1).flatMap(({ budget }) => budgetRows(protocol, budget).filter(([label]) => label !== 'workload')),
        ['fairness', fairness],
        ...systems.map((system, index) => [index === 0 ? 'systems' : '', systemText(system, seconds)]),
        ['time', duration(spent)],
        ...stepsRows(explorations.map(({ steps }) => steps)),
        ...coverageRows({ coverage, complete: true }),
      ],
      complete: exhaustedText({ systems, ending, seconds, coverage, findings }),
      assumptions: assumptionsText([...new Set(explorations.flatMap(({ assumptions }) => assumptions))]),
      more: [
        ...(checked ? counterexamples(findings, checked, options, session.colours) : []),
        ...(refuting ? [refuting] : systems.slice(0, 1)).map(({ budget }) =>
          whatToTry({ protocol, budget, fairness, longPaths: longPathsOf(options) }, findings),
        ),
        refuting ? againLine([...withoutOption(session.argv, 'for'), ...sizeArguments(refuting)], options) : '',
        traceNote,
      ],
    }),
  });
}

const sizeArguments = ({ topology, entries }: Size): readonly string[] => [
  ...['--topology', topology.spec],
  ...(entries === 1 ? [] : ['--entries', String(entries)]),
];

/** The systems that were explored, and why there is no larger one. */
function deepen(
  protocol: Protocol,
  exploreOne: (size: Size) => Explored,
  isOver: () => boolean,
): { readonly systems: readonly Explored[]; readonly ending: Ending } {
  const systems: Explored[] = [];
  let quiet = 0;
  let missed = Infinity;
  for (const size of sizes(protocol)) {
    if (systems.length > 0 && isOver()) return { systems, ending: 'time' };
    const system = exploreOne(size);
    systems.push(system);
    if (system.exploration.properties.some(isViolated)) return { systems, ending: 'violated' };
    if (!isExhausted(system.exploration)) return { systems, ending: 'cut' };
    const explorations = systems.map(({ exploration }) => exploration);
    const coverage = overallCoverage(explorations);
    const left = coverage.reduce((sum, { missed, unentered }) => sum + missed.length + unentered.length, 0);
    quiet = left === 0 && left === missed ? quiet + 1 : 0;
    missed = left;
    const isReached = overall(explorations).every(({ verdict }) => verdict !== 'unreached');
    if (quiet >= quietSystems && coverage.length > 0 && isReached) return { systems, ending: 'covered' };
  }
  return { systems, ending: 'sizes' };
}

/** A network of more nodes has too many states for any exhaustive search, and more partitions than the explorer supports. */
const mostNodes = 12;

/**
 * Systems of increasing size: from two nodes, in the shape that the protocol needs, each with one command a node and then with two, if there are
 * optional commands. Sizes that the shape does not have are left out.
 *
 * @throws {ConclaveError} `bad-topology`, `bad-input` for a protocol whose need refuses its own example.
 */
function* sizes(protocol: Protocol): Generator<Size> {
  const most = optionalCommands(protocol).length === 0 ? 1 : 2;
  const known = new Set<string>();
  for (let nodes = 2; nodes <= mostNodes; nodes++) {
    const topology = fitting(protocol, nodes);
    if (!topology || known.has(topology.spec)) continue;
    known.add(topology.spec);
    for (let entries = 1; entries <= most; entries++) yield { topology, entries };
  }
  if (known.size === 0) explore(protocol, protocol.topology.example(3)); // refuses it, and says why
}

/** The protocol's own example of so many nodes; undefined where it has none. */
function fitting({ topology: need }: Protocol, nodes: number): Topology | undefined {
  try {
    const topology = need.example(nodes);
    return need.refuses(topology) === undefined ? topology : undefined;
  } catch (error) {
    if (error instanceof ConclaveError) return undefined;
    throw error;
  }
}

/** Whether every state was explored, and no limit left anything open. */
const isExhausted = ({ complete, limit }: Pick<Exploration, 'complete' | 'limit'>): boolean => complete && limit === undefined;

/**
 * What several systems together show about each property. A violation in one refutes it, and what one reaches is reached. A property holds if it
 * holds in every exhausted system; a system that was cut shows nothing else.
 */
export function overall(explorations: readonly Exploration[]): Exploration['properties'] {
  const exhausted = explorations.filter(isExhausted);
  return (explorations[0]?.properties ?? []).map(({ name, kind }, index) => {
    const same = (all: readonly Exploration[]) => all.flatMap(({ properties }) => properties[index] ?? []); // all have the same properties
    const decided = same(explorations).find(({ verdict }) => verdict === 'violated' || verdict === 'reached');
    return decided ?? { name, kind, verdict: undecided(same(exhausted).map(({ verdict }) => verdict)) };
  });
}

/** The verdict of a property that no system violates or reaches. */
function undecided(verdicts: readonly Verdict[]): Verdict {
  if (verdicts.length === 0 || verdicts.includes('incomplete')) return 'incomplete';
  return verdicts.find((verdict) => verdict === 'holds') ?? verdicts.at(-1) ?? 'incomplete';
}

/** How much of the statecharts several systems use together: what every one of them missed. */
export function overallCoverage(explorations: readonly Exploration[]): readonly RoleCoverage[] {
  const all = explorations.map(({ coverage = [] }) => coverage);
  return (all[0] ?? []).map((first) => {
    const roles = all.flatMap((coverage) => coverage.filter(({ role }) => role === first.role));
    const inEach = (listOf: (role: RoleCoverage) => readonly string[]) =>
      listOf(first).filter((item) => roles.every((role) => listOf(role).includes(item)));
    const missed = inEach(({ missed }) => missed);
    // A guard that was not evaluated is in neither list: then its transition is among the missed.
    const never = (listOf: (role: RoleCoverage) => readonly string[]) =>
      [...new Set(roles.flatMap(listOf))].filter((guard) =>
        roles.every((role) => listOf(role).includes(guard) || (role.missed.includes(guard) && !role.guards.neverTrue.includes(guard))),
      );
    return {
      role: first.role,
      transitions: first.transitions,
      taken: first.transitions - missed.length,
      missed,
      guards: {
        asked: Math.max(...roles.map(({ guards }) => guards.asked)),
        neverTrue: never(({ guards }) => guards.neverTrue),
        neverFalse: never(({ guards }) => guards.neverFalse),
      },
      unentered: inEach(({ unentered }) => unentered),
      undelivered: inEach(({ undelivered }) => undelivered),
    };
  });
}

const endings: Readonly<Record<Ending, string>> = {
  violated: 'a property is violated',
  covered: 'the coverage is full, and two larger systems added nothing',
  time: 'the time is over',
  sizes: 'there is no larger system',
  cut: 'the last system was cut',
};

function systemReport({ topology, entries, exploration }: Explored) {
  const { states, transitions, depth, steps, seconds, complete, limit, omissionProbability, assumptions, properties } = exploration;
  return {
    ...{ topology: topology.spec, entries, states, transitions, depth, steps, seconds, complete, limit, omissionProbability, assumptions },
    properties: properties.map(({ name, verdict }) => ({ name, verdict })),
  };
}

/** `complete:3 with up to 2 commands each` */
const sizeText = ({ topology, entries }: Size): string =>
  `${topology.spec} with ${entries === 1 ? 'one command' : `up to ${entries} commands`} each`;

/** `ring:2 with one command each: 35 states, 72 transitions, depth 9` */
const systemText = (system: Explored, seconds: number): string =>
  `${sizeText(system)}: ${sizeOf(system.exploration)}${isExhausted(system.exploration) ? '' : `, ${cutText(system, seconds)}`}`;

/** Why the last system was not finished. */
function cutText({ exploration }: Explored, seconds: number): string {
  const { limit } = exploration;
  if (isExhausted(exploration)) return 'it ended';
  if (limit === 'seconds') return `cut after ${duration(seconds)}`;
  if (limit === 'memory') return 'cut by --max-memory';
  return limit === 'interrupted' ? 'interrupted' : 'cut';
}

interface Deepened {
  readonly systems: readonly Explored[];
  readonly ending: Ending;
  readonly seconds: number;
  readonly coverage: readonly RoleCoverage[];
  readonly findings: Exploration['properties'];
}

/** What was exhausted, what was not, and why. */
function exhaustedText({ systems, ending, seconds, coverage, findings }: Deepened): string {
  const exhausted = systems.filter(({ exploration }) => isExhausted(exploration));
  const [largest, last] = [exhausted.at(-1), systems.at(-1)];
  const others = exhausted.length > 1 ? ' and of all systems above it' : '';
  const done = largest ? `Exhausted: every reachable state of ${sizeText(largest)}${others} was explored.` : '';
  if (ending === 'violated' || !last) return `${done || 'Stopped at a violation.'}${largest ? openAfter(faultOf(findings), findings) : ''}`;
  if (ending === 'covered') return `${done} The coverage is full, and two larger systems added nothing.`;
  if (ending === 'sizes') return `${done} There is no larger one.`;
  const cut =
    ending === 'cut' ? `${sizeText(last)} was ${cutText(last, seconds)}, which proves nothing about it.` : 'Then the time was over.';
  const missing = coverage.some(({ missed }) => missed.length > 0) ? ' Transitions that were never taken are not checked either.' : '';
  return `${done} ${cut}${missing} Continue with --for 1m, or choose a system: --topology ${last.topology.spec}.`;
}
