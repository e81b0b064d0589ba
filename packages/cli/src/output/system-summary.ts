import type { Fairness, PlainExploration } from '@conclave/core/exploration';
import { isOfRuns, type Json, type Property } from '@conclave/core/protocol';
import type { UserSystem } from '../input/user-system.js';
import type { Session } from '../session.js';
import { refuted } from './check-report.js';
import { duration, leftOutText, speed } from './check-summary.js';
import { markedSteps } from './counterexample.js';
import { oneLine } from './error-line.js';
import { verdictTable } from './findings.js';
import { counted, number } from './numbers.js';
import { table } from './table.js';

type Exploration = PlainExploration<Json, Json>;

interface SystemCheck {
  readonly name: string;
  readonly system: UserSystem;
  readonly reduce: 'none' | 'symmetry';
  readonly fairness: Fairness;
  readonly exploration: Exploration;
  readonly leftOut: readonly Property<Json, Json>[];
  readonly incomplete: string | undefined;
}

/** What `check` prints of a system of plain functions for people. */
export function systemSummary(check: SystemCheck, { colours }: Pick<Session, 'colours'>): string {
  const { name, system, reduce, fairness, exploration, leftOut, incomplete } = check;
  const { bold, dim, yellow } = colours;
  const { states, transitions, depth, width, seconds, properties } = exploration;
  const rows = [
    ['fairness', fairness],
    ...(reduce === 'none' ? [] : [['reduction', 'symmetry: one state stands for its images']]),
    ['found', `${counted(states, 'state')}, ${counted(transitions, 'transition')}, depth ${depth}, width ${number(width)}`],
    ['time', `${duration(seconds)}, ${number(speed(states, seconds))} states/s`],
  ].map(([label = '', text = '']) => [dim(label), text]);
  const open = properties.some(({ verdict }) => verdict === 'incomplete') ? ' What follows an action that fails stays open.' : '';
  const ending =
    incomplete === undefined
      ? `Complete: every reachable state was looked at.${open}`
      : `${yellow('INCOMPLETE:')} ${incomplete}${exploration.limit === undefined || exploration.limit === 'interrupted' ? '' : ' Raise the limit.'}`;
  return [
    `${bold(name)}, a system of plain functions\n${table(rows)}`,
    `${verdictTable(properties, colours, refuted)}${leftOutText(leftOut)}${deadlockText(exploration, system)}`,
    `${ending}\n`,
    ...properties.filter(({ verdict }) => verdict === 'violated').map((finding) => pathText(finding, colours)),
    ...grantedText(properties, system),
  ].join('\n');
}

/** That nothing was looked at for deadlocks, where there may be some. */
function deadlockText({ ends }: Exploration, { done }: UserSystem): string {
  if (done !== undefined || ends === 0) return '';
  const states = ends === 1 ? 'One state has no action' : `${number(ends)} states have no action`;
  return `Not asked: whether a run may end there. ${states}; give done: (state) => true where it may.\n`;
}

/** What a run that is refuted might have been granted, and was not. */
function grantedText(properties: Exploration['properties'], { fair }: UserSystem): readonly string[] {
  const runs = properties.filter((finding) => isOfRuns(finding) && finding.verdict === 'violated');
  const [resting] = runs.flatMap(({ unfair = [] }) => (unfair.length > 0 ? [unfair] : []));
  if (fair === undefined && runs.length > 0)
    return ['Nothing is granted to these actions: say by fair which may not be put off for ever, as in fair: (action) => action.\n'];
  if (resting === undefined) return [];
  return [`Where a run rests, ${resting.map(text).join(', ')} may be put off for ever: fair names no class for it.\n`];
}

/** The way to a violation: each action, and what it changes. */
function pathText(
  { name, initial = null, path = [], loopsFrom, fault }: PlainExploration<Json, Json>['properties'][number],
  colours: Session['colours'],
): string {
  const rows = path.map(({ action, state }, index) => [text(action), changes(path[index - 1]?.state ?? initial, state)]);
  const steps = table(rows).split('\n').slice(0, -1);
  const start = `${colours.dim('from')} ${text(initial)}`;
  const [heading = '', ...lines] = markedSteps(name, steps, loopsFrom, colours).split('\n');
  return [heading, start, ...lines].join('\n') + (fault === undefined ? '' : `${oneLine(fault)}\n`);
}

/** The fields that differ, where states have fields; else the new state. */
function changes(before: Json, after: Json): string {
  if (!hasFields(before) || !hasFields(after)) return text(after);
  const fields = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  const changed = fields.filter((field) => JSON.stringify(before[field]) !== JSON.stringify(after[field]));
  return changed.map((field) => `${field}: ${after[field] === undefined ? 'gone' : text(after[field])}`).join(', ') || '(as it was)';
}

const hasFields = (value: Json): value is { readonly [field: string]: Json } =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** On one line; texts without their quotes. */
const text = (value: Json): string => (typeof value === 'string' ? JSON.stringify(value).slice(1, -1) : JSON.stringify(value));
