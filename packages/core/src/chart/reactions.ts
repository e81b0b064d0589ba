/**
 * What a machine does, in words: its events, guards, actions and targets by name. Charts as Mermaid,
 * SVG and SCXML and the reports on coverage say the same of a transition, since all take it from here.
 */
import type { AnyStateNode, AnyTransitionDefinition, StateValue } from 'xstate';
import { endNames } from '../protocol/bare/readable.js';
import { stateText } from '../protocol/handles.js';
import { combinedBy } from '../protocol/regions.js';

/** The path of a state: `up.idle`; the machine's id for the outermost one. */
export function pathOf(node: AnyStateNode): string {
  return node.path.join('.') || node.key;
}

/** What a state does about one event, in words. */
export interface Reaction {
  /**
   * Names the transition within its machine: its source, its event and its position among the
   * alternatives, `wanted request 1`.
   */
  readonly key: string;
  /** The event and its guard: `request [oursIsOlder]`, `after 500 ms`, `always [allReplied]`. */
  readonly trigger: string;
  /** The actions by name, in written order: `witness, reply`; empty when there are none. */
  readonly actions: string;
  /** Where it leads; empty when the state stays as it is. */
  readonly targets: readonly AnyStateNode[];
  /** Whether the state is left and entered again, should it lead into itself. */
  readonly reenter: boolean;
  readonly description: string;
}

/**
 * Everything `node` itself reacts to: `always` first, then `on`, `onDone` and `after`, each as
 * written; `default` for a history state.
 */
export function reactions(node: AnyStateNode): readonly Reaction[] {
  if (node.type === 'history') return historyDefault(node);
  return [node.always ?? [], ...node.transitions.values()].flatMap((choices) =>
    choices.map((transition, index) => ({
      key: transitionKey(transition, index),
      trigger: `${eventText(transition)} ${conditionText(transition.guard, index > 0)}`.trim(),
      actions: actionsText(transition.actions),
      targets: transition.target ?? [],
      reenter: transition.reenter,
      description: transition.description ?? '',
    })),
  );
}

/**
 * Where a history state leads as long as there is no history; XState keeps that in the config only.
 */
function historyDefault(node: AnyStateNode): readonly Reaction[] {
  const { config, machine, parent } = node;
  const path: unknown = config.target;
  if (typeof path !== 'string' || !parent) return [];
  const target = path.startsWith('#')
    ? machine.getStateNodeById(path)
    : path.split('.').reduce<AnyStateNode>((outer, key) => outer.states[key] ?? outer, parent);
  return [
    {
      key: `${pathOf(node)} default 0`,
      trigger: 'default',
      actions: '',
      targets: [target],
      reenter: false,
      description: '',
    },
  ];
}

/**
 * Names a transition within its machine: its source, its event and its position among the
 * alternatives, `wanted request 1`.
 */
export const transitionKey = (
  { source, eventType }: AnyTransitionDefinition,
  index: number,
): string => `${pathOf(source)} ${eventType || 'always'} ${index}`;

/**
 * Actions by name, with their parameters: `stamp, requestAll`; one without a name is `(inline)`.
 */
export function actionsText(actions: unknown): string {
  return [actions ?? []].flat().map(nameOf).join(', ');
}

/** The event of a transition: `request`, `after 500 ms`, `when done`, `done(load)`, `always`. */
export function eventText(transition: AnyTransitionDefinition): string {
  if ('delay' in transition)
    return `after ${typeof transition.delay === 'number' ? `${transition.delay} ms` : String(transition.delay)}`;
  if (transition.eventType === '') return 'always';
  const { eventType, source } = transition;
  if (eventType.startsWith('xstate.done.state.')) return 'when done';
  return eventType.startsWith('xstate.')
    ? (endNames(source.machine).get(eventType) ?? eventType)
    : eventType;
}

/** Arrows have no order, so the text of an alternative names the ones that come before it. */
function conditionText(guard: unknown, afterOthers: boolean): string {
  if (guard === undefined) return afterOthers ? '[else]' : '';
  return `[${afterOthers ? 'else if ' : ''}${guardText(guard)}]`;
}

/**
 * A guard in words: `oursIsOlder`, `atLeast(n = 2)`, `a and not b`, `in up.idle`; one without a
 * name is `(inline)`.
 */
export function guardText(guard: unknown, nested = false): string {
  if (typeof guard !== 'function') return nameOf(guard);
  // made by XState's stateIn(value)
  if ('stateValue' in guard) return `in ${stateText(guard.stateValue as StateValue)}`;
  if (!('guards' in guard) || !Array.isArray(guard.guards)) return nameOf(guard);
  const parts = guard.guards.map((part) => guardText(part, true));
  const how = combinedBy(guard);
  if (how === 'not') return `not ${parts.join('')}`;
  const text = parts.join(` ${how} `);
  return nested && parts.length > 1 ? `(${text})` : text;
}

function nameOf(part: unknown): string {
  if (typeof part === 'string') return part;
  if (typeof part !== 'object' || part === null || !('type' in part)) return '(inline)';
  const params = 'params' in part ? part.params : undefined;
  if (params === undefined) return String(part.type);
  if (typeof params !== 'object' || params === null) return `${String(part.type)}(inline)`;
  const shown = Object.entries(params).map(([key, value]) => `${key} = ${JSON.stringify(value)}`);
  return `${String(part.type)}(${shown.join(', ')})`;
}
