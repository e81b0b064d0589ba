import type { Exploration, Fairness } from '@conclave/core/exploration';
import type { Property, Protocol } from '@conclave/core/protocol';
import type { Topology } from '@conclave/core/topology';
import { budgetRows, type CheckBudget } from '../input/budget.js';
import { abridged } from '../input/network.js';
import type { Session } from '../session.js';
import { refuted } from './check-report.js';
import { counterexample } from './counterexample.js';
import { coverageRows, few } from './coverage-rows.js';
import { titleOf, verdictTable } from './findings.js';
import { counted, decimal, number } from './numbers.js';
import { table } from './table.js';
import { whatToTry } from './what-to-try.js';

/** What is checked, in whichever way. */
export interface Setting {
  readonly protocol: Protocol;
  readonly topology: Topology;
  readonly budget: CheckBudget;
  /** What is asked, and what --safety left out. */
  readonly properties: readonly Property[];
  readonly leftOut: readonly Property[];
}

interface Check {
  readonly setting: Setting;
  readonly fairness: Fairness;
  readonly workers: number;
  readonly exploration: Exploration;
  /** What was left out as being like what was looked at, as the options say it. */
  readonly reduced: string | undefined;
  /** The options for which a run need not be a shortest one. */
  readonly longWays: string | undefined;
  /** Why some verdict is not known; undefined when all are. */
  readonly incomplete: string | undefined;
}

/** What `check` prints of a search for people. */
export function checkSummary(
  { setting, fairness, workers, exploration, reduced, longWays, incomplete }: Check,
  { colours }: Pick<Session, 'colours'>,
): string {
  const { yellow } = colours;
  const { states, transitions, depth, width, seconds, properties, diagnosis } = exploration;
  const rows = [
    ['fairness', fairness],
    ['found', `${counted(states, 'state')}, ${counted(transitions, 'transition')}, depth ${depth}, width ${number(width)}`],
    ['time', `${duration(seconds)}${workers > 1 ? ` with ${workers} workers` : ''}, ${number(speed(states, seconds))} states/s`],
    ['made of', partsText(diagnosis)],
    ...coverageRows(exploration),
  ];
  const ending =
    incomplete === undefined ? completeText(exploration, reduced) : `${yellow('INCOMPLETE:')} ${incomplete}${adviceText(exploration)}`;
  const counterexamples = properties.filter(({ verdict }) => verdict === 'violated').map((finding) => counterexample(finding, colours));
  return [
    settingText(setting, rows, colours),
    `${verdictTable(properties, colours, refuted)}${leftOutText(setting.leftOut)}`,
    `${ending}\n${assumptionsText(exploration.assumptions)}${growthText(diagnosis)}`,
    ...counterexamples,
    whatToTry({ protocol: setting.protocol, budget: setting.budget, fairness, longWays }, properties),
  ]
    .filter((part) => part !== '')
    .join('\n');
}

/** The heading of a check: the protocol, what may happen to it, and more `rows` about how it went. */
export function settingText({ protocol, topology, budget }: Setting, more: readonly string[][], { bold, dim }: Session['colours']): string {
  const network = ['network', `${abridged(topology.spec)}, ${counted(topology.nodes.length, 'node')}`];
  const rows = [network, ...budgetRows(protocol, budget), ...more];
  return `${bold(titleOf(protocol))}\n${table(rows.map(([label = '', text = '']) => [dim(label), text]))}`;
}

/** So that nobody takes what was not asked for what holds. */
export const leftOutText = (leftOut: readonly Property<never, never>[]): string =>
  leftOut.map(({ name }) => `Not asked, for --safety: ${name}.\n`).join('');

/** Which parts of the states take many values, and so multiply them. */
function partsText({ nodes, fields, messages, contents }: Exploration['diagnosis']): string {
  const places = Object.entries(nodes).map(([node, count]) => `${node} ${number(count)}`);
  const values = Object.entries(fields).flatMap(([field, count]) => (count > 1 ? [`${field} ${number(count)}`] : []));
  const channels = `${counted(messages, 'message')} in ${counted(contents, 'channel content')}`;
  return [`local states: ${few(places, ', ')}`, channels, ...(values.length === 0 ? [] : [`values: ${few(values, ', ')}`])].join('; ');
}

/** A warning where a search was stopped that might never have ended. */
function growthText({ growing }: Exploration['diagnosis']): string {
  if (growing.length === 0) return '';
  const fields = growing.map(({ field, least, most }) => `${field} grows (${least} … ${most})`);
  return `${few(fields)}: it may never end; bound the commands, or normalise.\n`;
}

const adviceText = ({ complete, limit }: Exploration): string => {
  if (complete) return '';
  if (limit === 'interrupted') return ' What was not seen may violate anything.';
  return ' What was not seen may violate anything. Raise the limit, or ask for less; --reduce and --compact reach further, --walks looks here and there.';
};

function completeText({ properties }: Exploration, reduced: string | undefined): string {
  const open = properties.some(({ verdict }) => verdict === 'incomplete');
  const all =
    reduced === undefined
      ? 'every reachable state was looked at'
      : `every reachable state, or one that stands for it (${reduced}), was looked at`;
  return `Complete: ${all}.${open ? ' What follows a message that nothing handles stays open.' : ''}`;
}

/** What the verdicts rest on, a line each. */
export const assumptionsText = (assumptions: readonly string[]): string => assumptions.map((what) => `Assumed: ${what}.\n`).join('');

export const duration = (seconds: number): string => (seconds < 1 ? `${Math.round(seconds * 1000)} ms` : `${decimal(seconds)} s`);

/** States per second, as a whole number. */
export const speed = (states: number, seconds: number): number => (seconds > 0 ? Math.round(states / seconds) : 0);
