import type { Fairness, PropertyFinding, RoleCoverage } from '@conclave/core/exploration';
import type { Property, Protocol } from '@conclave/core/protocol';
import type { Ending, Looked } from '../checking/deepening.js';
import { sizeText } from '../checking/sizes.js';
import { budgetRows } from '../input/budget.js';
import type { Session } from '../session.js';
import { refuted } from './check-report.js';
import { assumptionsText, duration, leftOutText } from './check-summary.js';
import { counterexample } from './counterexample.js';
import { coverageRows } from './coverage-rows.js';
import { titleOf, verdictTable } from './findings.js';
import { counted } from './numbers.js';
import { table } from './table.js';
import { whatToTry } from './what-to-try.js';

/** What a check found that chose the sizes of its systems itself. */
export interface Deepening {
  readonly protocol: Protocol;
  readonly systems: readonly Looked[];
  readonly ending: Ending;
  /** The largest system of which every state was looked at. */
  readonly exhausted: Looked | undefined;
  readonly leftOut: readonly Property[];
  /** How long it was to go on, and how long it took. */
  readonly seconds: number;
  readonly spent: number;
  readonly fairness: Fairness;
  readonly workers: number;
  /** What all systems together say. */
  readonly properties: readonly PropertyFinding[];
  readonly coverage: readonly RoleCoverage[];
  readonly incomplete: string | undefined;
  /** The options for which a run need not be a shortest one. */
  readonly longWays: string | undefined;
}

/** What it prints for people. */
export function deepeningSummary(deepening: Deepening, { colours }: Pick<Session, 'colours'>): string {
  const { protocol, systems, leftOut, spent, fairness, properties, coverage, incomplete, seconds } = deepening;
  const { bold, dim, yellow } = colours;
  const [first] = systems;
  const settings = first ? budgetRows(protocol, first.budget).filter(([label]) => label !== 'workload') : [];
  const rows = [
    ...settings,
    ['fairness', fairness],
    ...systems.map((system, index) => [index === 0 ? 'systems' : '', systemText(system, seconds)]),
    ['time', duration(spent)],
    ...coverageRows({ coverage, complete: true }),
  ];
  const ending = incomplete === undefined ? exhaustedText(deepening) : `${yellow('INCOMPLETE:')} ${incomplete}`;
  const assumptions = [...new Set(systems.flatMap(({ exploration }) => exploration.assumptions))];
  const violated = properties.filter(({ verdict }) => verdict === 'violated');
  const refuting = systems.find(({ exploration }) => exploration.properties.some(({ verdict }) => verdict === 'violated')) ?? first;
  return [
    `${bold(titleOf(protocol))}\n${table(rows.map(([label = '', text = '']) => [dim(label), text]))}`,
    `${verdictTable(properties, colours, refuted)}${leftOutText(leftOut)}`,
    `${ending}\n${assumptionsText(assumptions)}`,
    ...violated.map((finding) => counterexample(finding, colours)),
    refuting ? whatToTry({ protocol, budget: refuting.budget, fairness, longWays: deepening.longWays }, properties) : '',
  ]
    .filter((part) => part !== '')
    .join('\n');
}

/** `ring:2 with one wish each: 35 states, 72 transitions, depth 9` */
function systemText(system: Looked, seconds: number): string {
  const { states, transitions, depth, complete } = system.exploration;
  const found = `${counted(states, 'state')}, ${counted(transitions, 'transition')}, depth ${depth}`;
  return `${sizeText(system)}: ${found}${complete ? '' : `, ${cutText(system, seconds)}`}`;
}

/** Why the last system was left before its end. */
export function cutText({ exploration: { complete, limit } }: Looked, seconds: number): string {
  if (complete) return 'it ended';
  if (limit === 'seconds') return `cut after ${duration(seconds)}`;
  if (limit === 'memory') return 'cut by --max-memory';
  return limit === 'interrupted' ? 'interrupted' : 'cut';
}

/** What was exhausted, what that rests on, and what was not. */
function exhaustedText({ systems, exhausted, ending, seconds, coverage, properties }: Deepening): string {
  const whole = systems.map(({ exploration }) => exploration).filter(({ complete }) => complete);
  const others = whole.length > 1 ? ' and of all systems above it' : '';
  const done = exhausted ? `Exhausted: every reachable state of ${sizeText(exhausted)}${others} was looked at.` : '';
  const last = systems.at(-1);
  if (ending === 'violated' || !last) {
    const open = properties.some(({ verdict }) => verdict === 'incomplete') && exhausted !== undefined;
    return `${done || 'Stopped at a violation.'}${open ? ' What follows a message that nothing handles stays open.' : ''}`;
  }
  if (ending === 'covered') return `${done} The coverage is full, and two larger systems added nothing.`;
  if (ending === 'sizes') return `${done} There is no larger one.`;
  const missing = coverage.some(({ missed }) => missed.length > 0) ? ' What was never taken was not checked, either.' : '';
  const cut =
    ending === 'cut' ? ` ${sizeText(last)} was ${cutText(last, seconds)}, which proves nothing of it.` : ' Then the time was over.';
  return `${done}${cut}${missing} Go on with --for 1m, or name a system: --topology ${last.topology.spec}.`;
}
