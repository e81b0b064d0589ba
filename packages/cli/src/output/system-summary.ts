import type { Fairness, PlainExploration, PlainFinding, PlainStep } from '@conclave/core/exploration';
import type { Json, Property } from '@conclave/core/protocol';
import type { Session } from '../session.js';
import { refuted } from './check-report.js';
import { duration, leftOutText, speed } from './check-summary.js';
import { markedSteps } from './counterexample.js';
import { oneLine } from './error-line.js';
import { verdictTable } from './findings.js';
import { counted, number } from './numbers.js';
import { table } from './table.js';

interface SystemCheck {
  readonly name: string;
  readonly initial: Json;
  readonly fairness: Fairness;
  readonly exploration: PlainExploration<Json, Json>;
  readonly leftOut: readonly Property<Json, Json>[];
  readonly incomplete: string | undefined;
}

/** What `check` prints of a system of plain functions for people. */
export function systemSummary(check: SystemCheck, { colours }: Pick<Session, 'colours'>): string {
  const { name, initial, fairness, exploration, leftOut, incomplete } = check;
  const { bold, dim, yellow } = colours;
  const { states, transitions, depth, width, seconds, properties } = exploration;
  const rows = [
    ['fairness', fairness],
    ['found', `${counted(states, 'state')}, ${counted(transitions, 'transition')}, depth ${depth}, width ${number(width)}`],
    ['time', `${duration(seconds)}, ${number(speed(states, seconds))} states/s`],
  ].map(([label = '', text = '']) => [dim(label), text]);
  const open = properties.some(({ verdict }) => verdict === 'incomplete') ? ' What follows an action that fails stays open.' : '';
  const ending =
    incomplete === undefined
      ? `Complete: every reachable state was looked at.${open}`
      : `${yellow('INCOMPLETE:')} ${incomplete}${exploration.limit === 'interrupted' ? '' : ' Raise the limit.'}`;
  return [
    `${bold(name)}, a system of plain functions\n${table(rows)}`,
    `${verdictTable(properties, colours, refuted)}${leftOutText(leftOut)}`,
    `${ending}\n`,
    ...properties.filter(({ verdict }) => verdict === 'violated').map((finding) => pathText(finding, initial, colours)),
  ].join('\n');
}

/** The way to a violation: each action, and what it changes. */
function pathText({ name, path = [], loopsFrom, fault }: PlainFinding<Json, Json>, initial: Json, colours: Session['colours']): string {
  const rows = path.map(({ action, state }, index) => [text(action), changes(path[index - 1]?.state ?? initial, state)]);
  const steps = table(rows).split('\n').slice(0, -1);
  const start = `${colours.dim('from')} ${text(initial)}`;
  const [heading = '', ...lines] = markedSteps(name, steps, loopsFrom, colours).split('\n');
  return [heading, start, ...lines].join('\n') + (fault === undefined ? '' : `${oneLine(fault)}\n`);
}

/** The fields that differ, where states have fields; else the new state. */
function changes(before: Json, after: PlainStep<Json, Json>['state']): string {
  if (!hasFields(before) || !hasFields(after)) return text(after);
  const fields = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  const changed = fields.filter((field) => JSON.stringify(before[field]) !== JSON.stringify(after[field]));
  return changed.map((field) => `${field}: ${after[field] === undefined ? 'gone' : text(after[field])}`).join(', ') || '(as it was)';
}

const hasFields = (value: Json): value is { readonly [field: string]: Json } =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** On one line; texts without their quotes. */
const text = (value: Json): string => (typeof value === 'string' ? JSON.stringify(value).slice(1, -1) : JSON.stringify(value));
