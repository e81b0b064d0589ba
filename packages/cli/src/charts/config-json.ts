import { guardText } from '@conclave/core/internal/chart';
import type { AnyStateMachine } from 'xstate';

/** What a config of XState has, without its types. */
type Part = Readonly<Record<string, unknown>>;

const isPart = (value: unknown): value is Part =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * The config of a machine as JSON, which `createMachine` and Stately's editor take. Guards, actions
 * and delays are names: what they do is not in it, nor is the context. A combined guard has its
 * text as its name.
 */
export const configJson = ({ config }: AnyStateMachine): string =>
  `${JSON.stringify(stateJson(config as Part), undefined, 2)}\n`; // plain objects and functions

/** What is kept of a state as it is; `states`, transitions and actions are looked into. */
const plain = ['id', 'type', 'history', 'target', 'description', 'tags'];

function stateJson(config: Part): Part {
  const kept = plain.flatMap((key) => (config[key] === undefined ? [] : [[key, config[key]]]));
  return {
    ...Object.fromEntries(kept),
    ...mapped(config, 'initial', initialJson),
    ...mapped(config, 'entry', actionsJson),
    ...mapped(config, 'exit', actionsJson),
    ...mapped(config, 'always', transitionsJson),
    ...mapped(config, 'on', (on) => eachOf(on, transitionsJson)),
    ...mapped(config, 'after', (after) => eachOf(after, transitionsJson)),
    ...mapped(config, 'onDone', transitionsJson),
    ...mapped(config, 'states', (states) => eachOf(states, (state) => stateJson(state as Part))), // so XState
  };
}

const mapped = (config: Part, key: string, change: (value: unknown) => unknown): Part =>
  config[key] === undefined ? {} : { [key]: change(config[key]) };

const eachOf = (parts: unknown, change: (value: unknown) => unknown): Part =>
  Object.fromEntries(
    Object.entries(parts as Part).map(([key, part]) => [key, change(part)]), // by event, delay or state
  );

const initialJson = (initial: unknown): unknown =>
  isPart(initial) ? transitionJson(initial) : initial;

const transitionsJson = (transitions: unknown): unknown =>
  Array.isArray(transitions) ? transitions.map(transitionJson) : transitionJson(transitions);

function transitionJson(transition: unknown): unknown {
  if (!isPart(transition)) return transition;
  const { target, reenter, description } = transition;
  return {
    ...(target !== undefined && { target }),
    ...(reenter !== undefined && { reenter }),
    ...mapped(transition, 'guard', guardJson),
    ...mapped(transition, 'actions', actionsJson),
    ...(description !== undefined && { description }),
  };
}

const guardJson = (guard: unknown): unknown =>
  isPart(guard) ? named(guard) : { type: guardText(guard) };

const actionsJson = (actions: unknown): unknown =>
  [actions]
    .flat()
    .map((action) =>
      typeof action === 'string'
        ? { type: action }
        : isPart(action)
          ? named(action)
          : { type: '(inline)' },
    );

/** Its name, and its parameters where they are data. */
const named = ({ type, params }: Part): Part => ({
  type: String(type),
  ...(isPart(params) && { params }),
});
