import type { AnyStateMachine } from 'xstate';
import { actionsText, guardText } from '../chart/reaction.js';
import type { Slot } from './mutant.js';
import type { Part, Rule, Rules, State } from './statechart.js';

/** Titles of the actions that mutants have made of others. */
const titles = new WeakMap<object, string>();

export function entitled<A extends object>(action: A, title: string): A {
  titles.set(action, title);
  return action;
}

/** An action by name. */
export const actionText = (action: Part): string =>
  (typeof action === 'function' ? titles.get(action) : undefined) ?? actionsText(action);

export const actionListText = (actions: readonly Part[]): string =>
  actions.map(actionText).join(', ');

/** A state by its path; the machine itself by its id. */
export const pathText = (path: readonly string[], machine: AnyStateMachine): string =>
  path.join('.') || machine.id;

/** The event or the delay: `request`, `always`, `after 500 ms`. */
export function slotText({ kind, key }: Slot): string {
  if (kind === 'on') return key;
  if (kind === 'after') return Number.isNaN(Number(key)) ? `after ${key}` : `after ${key} ms`;
  return kind === 'always' ? 'always' : 'when done';
}

/** `#raymond.released.away` as `released.away`; targets are written from the machine on. */
const targetText = (target: string): string =>
  target.replace(/^#(?:[^.\\]|\\.)*\.(?=.)/, '').replace(/^#/, '');

/** `[oursIsOlder] / witness, defer → wanted`; a rule that does nothing ignores its event. */
function ruleText({ target, guard, actions, others }: Rule): string {
  const parts = [
    ...(guard === undefined ? [] : [`[${guardText(guard)}]`]),
    ...(actions.length === 0 ? [] : [`/ ${actionListText(actions)}`]),
    ...(target === undefined ? [] : [`→ ${target.map(targetText).join(', ')}`]),
    ...(target === undefined && actions.length === 0 ? ['ignored'] : []),
    ...(others.reenter === true && target !== undefined ? ['(reenter)'] : []),
  ];
  return parts.join(' ');
}

/**
 * What a state does about one event, in one line: `wanted: request [oursIsOlder] / witness, defer |
 * / witness, reply`.
 */
export const rulesText = (state: string, slot: Slot, rules: Rules | undefined): string =>
  `${state}: ${slotText(slot)} ${rules === undefined || rules.length === 0 ? 'unlisted' : rules.map(ruleText).join(' | ')}`;

/** `held: tags critical, token`. */
export const listText = (
  state: string,
  what: 'entry' | 'exit' | 'tags',
  list: readonly Part[],
): string => `${state}: ${what} ${list.length === 0 ? 'none' : actionListText(list)}`;

/**
 * A text that two statecharts share exactly if they are written the same; functions are compared by
 * identity.
 */
export function statechartText(root: State, idOf: (made: object) => number): string {
  return JSON.stringify(root, (_key, value: unknown) =>
    typeof value === 'function' ? `ƒ${idOf(value)}` : value,
  );
}
