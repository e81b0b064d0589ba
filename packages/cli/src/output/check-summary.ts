import type { Exploration, Fairness, PropertyFinding } from '@conclave/core/exploration';
import type { Protocol } from '@conclave/core/protocol';
import type { Topology } from '@conclave/core/topology';
import { linesText, type Trace } from '@conclave/core/trace';
import { budgetRows, type CheckBudget } from '../input/budget.js';
import { abridged } from '../input/network.js';
import type { Session } from '../session.js';
import { refuted } from './check-report.js';
import { titleOf, verdictTable } from './findings.js';
import { counted, decimal, number } from './numbers.js';
import { table } from './table.js';

interface Check {
  readonly protocol: Protocol;
  readonly topology: Topology;
  readonly budget: CheckBudget;
  readonly fairness: Fairness;
  readonly exploration: Exploration;
  /** Why it is incomplete; undefined when complete. */
  readonly incomplete: string | undefined;
}

/** What `check` prints for people. */
export function checkSummary(check: Check, { colours }: Pick<Session, 'colours'>): string {
  const { protocol, topology, budget, fairness, exploration, incomplete } = check;
  const { bold, dim, yellow } = colours;
  const { states, transitions, depth, seconds, properties } = exploration;
  const rows = [
    ['network', `${abridged(topology.spec)}, ${counted(topology.nodes.length, 'node')}`],
    ...budgetRows(protocol, budget),
    ['fairness', fairness],
    ['found', `${counted(states, 'state')}, ${counted(transitions, 'transition')}, depth ${depth}`],
    ['time', `${duration(seconds)}, ${number(speed(states, seconds))} states/s`],
    ...coverageRows(exploration),
  ].map(([label = '', text = '']) => [dim(label), text]);
  const ending = incomplete === undefined ? completeText(properties) : `${yellow('INCOMPLETE:')} ${incomplete} ${notProved}`;
  const counterexamples = properties.filter(({ verdict }) => verdict === 'violated').map((finding) => counterexample(finding, colours));
  const title = `${bold(titleOf(protocol))}\n${table(rows)}`;
  const end = `${ending}\n${growthText(exploration.diagnosis)}`;
  return [title, verdictTable(properties, colours, refuted), end, ...counterexamples].join('\n');
}

/** How much of each statechart was used; what was not, where a small system cannot come to all of it. */
function coverageRows({ coverage = [] }: Exploration): string[][] {
  return coverage.flatMap(({ role, transitions, taken, missed, guards, unentered, undelivered }) => [
    ['coverage', `${role}: ${taken} of ${counted(transitions, 'transition')} taken`],
    ...missed.map((transition) => ['', `never ${transition}${guards.neverTrue.includes(transition) ? ' (asked, never true)' : ''}`]),
    ...listRow('never false', guards.neverFalse),
    ...listRow('never entered', unentered),
    ...listRow('never delivered', undelivered),
  ]);
}

const listRow = (what: string, list: readonly string[]): string[][] => (list.length === 0 ? [] : [['', `${what}: ${few(list)}`]]);

/** Enough for a summary; the JSON has all. */
const few = (list: readonly string[]): string =>
  list.length <= 5 ? list.join('; ') : `${list.slice(0, 4).join('; ')}; and ${list.length - 4} more`;

/** A warning where a search was stopped that might never have ended. */
function growthText({ growing }: Exploration['diagnosis']): string {
  if (growing.length === 0) return '';
  const fields = growing.map(({ field, least, most }) => `${field} grows (${least} … ${most})`);
  return `${few(fields)}: it may never end; bound the commands, or normalise.\n`;
}

const notProved = 'What was not seen may violate anything. Raise the limit, or ask for less.';

function completeText(properties: readonly PropertyFinding[]): string {
  const open = properties.some(({ verdict }) => verdict === 'incomplete');
  return `Complete: every reachable state was looked at.${open ? ' What follows a message that nothing handles stays open.' : ''}`;
}

const duration = (seconds: number): string => (seconds < 1 ? `${Math.round(seconds * 1000)} ms` : `${decimal(seconds)} s`);

/** States per second, as a whole number. */
export const speed = (states: number, seconds: number): number => (seconds > 0 ? Math.round(states / seconds) : 0);

/** The shortest run that violates a property; for liveness with a mark where it begins to repeat. */
function counterexample({ name, trace, loopsFrom }: PropertyFinding, { red, dim }: Session['colours']): string {
  if (!trace) return `${red('✗')} ${name}\n`;
  const steps = trace.lines.length === 0 ? 'at the very start' : `after ${counted(trace.lines.length, 'step')}`;
  const when = loopsFrom === undefined || loopsFrom === trace.lines.length ? `${steps}:` : 'on a run without end:';
  const fault = trace.header.get('fault');
  return `${red('✗')} ${name}, ${when}\n${markedLines(trace, loopsFrom, dim)}${fault === undefined ? '' : `${fault}\n`}`;
}

function markedLines({ lines }: Trace, loopsFrom: number | undefined, dim: (text: string) => string): string {
  const text = linesText(lines);
  if (loopsFrom === undefined) return text;
  const mark = loopsFrom === lines.length ? '— here it comes to rest —' : '— from here on, for ever —';
  return text.split('\n').toSpliced(loopsFrom, 0, dim(mark)).join('\n');
}
