/**
 * Statecharts for other tools: as SCXML, and as the JSON config of XState itself. What a tool cannot
 * have, the code of guards and actions, stands there as a name that its interpreter is given.
 */
import {
  actionsText,
  combinedBy,
  guardText,
  pathOf,
  reactions,
} from '@conclave/core/internal/chart';
import type { AnyStateMachine, AnyStateNode, AnyTransitionDefinition } from 'xstate';

type Lines = readonly string[];

/**
 * A statechart in the W3C's State Chart XML. Guards and actions are calls of functions with their
 * names; tags stand in comments: SCXML has none.
 */
export function scxml(machine: AnyStateMachine): string {
  const { root } = machine;
  const isBare =
    root.type === 'compound' &&
    root.transitions.size === 0 &&
    [root.always, root.config.entry, root.config.exit].every(
      (part) => [part ?? []].flat().length === 0,
    );
  const inside = isBare ? childrenOf(root) : stateLines(root);
  const initial = isBare && isPlain(root) ? ` initial="${firstOf(root).join(' ')}"` : '';
  return `${[
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<scxml xmlns="http://www.w3.org/2005/07/scxml" version="1.0" datamodel="ecmascript" name="${nameOf(machine)}"${initial}>`,
    ...indented(isBare && !isPlain(root) ? [...initialLines(root), ...inside] : inside),
    '</scxml>',
  ].join('\n')}\n`;
}

/** An identifier: SCION names a function by it. */
const nameOf = ({ id }: AnyStateMachine): string => id.replace(/[^\w]/g, '_');

const indented = (lines: Lines): Lines => lines.map((line) => `  ${line}`);

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
};
const escaped = (text: string): string =>
  text.replace(/[&<>"]/g, (character) => entities[character] ?? character);

const idOf = (node: AnyStateNode): string => escaped(pathOf(node));

/** Whether a state enters its first one without actions. */
const isPlain = ({ initial }: AnyStateNode): boolean => (initial?.actions ?? []).length === 0;

const firstOf = ({ initial }: AnyStateNode): Lines => initial.target.map(idOf);

function stateLines(node: AnyStateNode): Lines {
  const id = `id="${idOf(node)}"`;
  if (node.type === 'history') return historyLines(node, id);
  const name = node.type === 'parallel' || node.type === 'final' ? node.type : 'state';
  const isCompound = node.type === 'compound';
  const initial = isCompound && isPlain(node) ? ` initial="${firstOf(node).join(' ')}"` : '';
  const { tags, description } = node;
  const lines = [
    ...(tags.length > 0 ? [comment(`tags: ${tags.join(', ')}`)] : []),
    ...(description === undefined ? [] : [comment(description)]),
    ...(isCompound && !isPlain(node) ? initialLines(node) : []),
    ...boundaryLines(node, 'entry'),
    ...boundaryLines(node, 'exit'),
    ...transitionsOf(node).flatMap((transition) => transitionLines(node, transition)),
    ...childrenOf(node),
  ];
  return lines.length === 0
    ? [`<${name} ${id}/>`]
    : [`<${name} ${id}${initial}>`, ...indented(lines), `</${name}>`];
}

const comment = (text: string): string => `<!-- ${text.replaceAll('--', '- -')} -->`;

const childrenOf = ({ states }: AnyStateNode): Lines => Object.values(states).flatMap(stateLines);

const initialLines = (node: AnyStateNode): Lines => [
  '<initial>',
  `  <transition target="${firstOf(node).join(' ')}">`,
  ...indented(indented(scriptLines(node.initial.actions))),
  '  </transition>',
  '</initial>',
];

/** Where it leads as long as there is no history: by XState, to the first state. */
function historyLines(node: AnyStateNode, id: string): Lines {
  const [written] = reactions(node);
  const { parent } = node;
  const first = written?.targets ?? (parent?.type === 'compound' ? parent.initial.target : []);
  return [
    `<history ${id} type="${node.history === 'deep' ? 'deep' : 'shallow'}">`,
    `  <transition target="${first.map(idOf).join(' ')}"/>`,
    '</history>',
  ];
}

/** The actions of an entry or exit, and the timers that begin or end with it. */
function boundaryLines(node: AnyStateNode, boundary: 'entry' | 'exit'): Lines {
  const timers = node.after.map((transition) => {
    const name = escaped(transition.eventType);
    if (boundary === 'exit') return `<cancel sendid="${name}"/>`;
    const { delay } = transition;
    const when =
      typeof delay === 'number' ? `delay="${delay}ms"` : `delayexpr="${delayCall(delay)}"`;
    return `<send id="${name}" event="${name}" ${when}/>`;
  });
  const inside = [...new Set([...scriptLines(node.config[boundary]), ...timers])];
  return inside.length === 0 ? [] : [`<on${boundary}>`, ...indented(inside), `</on${boundary}>`];
}

const delayCall = (delay: unknown): string =>
  escaped(`${call(typeof delay === 'string' ? delay : '(inline)')} + 'ms'`);

const transitionsOf = (node: AnyStateNode): readonly AnyTransitionDefinition[] => [
  ...(node.always ?? []),
  ...[...node.transitions.values()].flat(),
];

function transitionLines(node: AnyStateNode, transition: AnyTransitionDefinition): Lines {
  const { eventType, guard, actions } = transition;
  const { targets, isInternal } = targetsOf(node, transition);
  const head = [
    'transition',
    ...(eventType === '' ? [] : [`event="${escaped(eventName(node, eventType))}"`]),
    ...(guard === undefined ? [] : [`cond="${escaped(condition(guard))}"`]),
    ...(targets.length === 0 ? [] : [`target="${targets.map(idOf).join(' ')}"`]),
    ...(isInternal ? ['type="internal"'] : []),
  ].join(' ');
  const inside = scriptLines(actions);
  return inside.length === 0 ? [`<${head}/>`] : [`<${head}>`, ...indented(inside), '</transition>'];
}

/** XState's name for the end of a state has the id of the machine in it. */
const eventName = (node: AnyStateNode, eventType: string): string =>
  eventType.startsWith('xstate.done.state.') ? `done.state.${pathOf(node)}` : eventType;

/**
 * Where a transition leads. By SCXML a state that is its own target is left and entered again, by
 * XState only with `reenter`. Without it, the target is left out, or is the first state inside.
 */
function targetsOf(
  node: AnyStateNode,
  { target = [], reenter }: AnyTransitionDefinition,
): { readonly targets: readonly AnyStateNode[]; readonly isInternal: boolean } {
  const isInside = (other: AnyStateNode) =>
    other !== node && node.path.every((key, depth) => other.path[depth] === key);
  if (reenter || node.type === 'parallel') return { targets: target, isInternal: false };
  const targets = target.flatMap((one) =>
    one !== node ? [one] : node.type === 'compound' ? node.initial.target : [],
  );
  return { targets, isInternal: targets.length > 0 && targets.every(isInside) };
}

/** A guard as a condition of ECMAScript. */
function condition(guard: unknown): string {
  if (typeof guard === 'function') {
    if ('stateValue' in guard) return stateCondition(guard.stateValue);
    if (!('guards' in guard) || !Array.isArray(guard.guards)) return call('(inline)');
    const parts = guard.guards.map(condition);
    const how = combinedBy(guard);
    return how === 'not' ? `!${parts.join('')}` : `(${parts.join(how === 'or' ? ' || ' : ' && ')})`;
  }
  return calls(guard).join('');
}

/** `In('client.wanted')`, for each innermost state of a state value. */
function stateCondition(value: unknown, path: Lines = []): string {
  if (typeof value === 'string') return `In('${[...path, value].join('.')}')`;
  const parts = Object.entries(value as object).map(([key, inner]) =>
    stateCondition(inner, [...path, key]),
  );
  return parts.length === 1 ? parts.join('') : `(${parts.join(' && ')})`;
}

const scriptLines = (actions: unknown): Lines => {
  const all = calls(actions);
  return all.length === 0 ? [] : [`<script>${escaped(`${all.join('; ')};`)}</script>`];
};

/** Guards or actions, each as a call with its parameters. */
const calls = (parts: unknown): Lines =>
  [parts ?? []].flat().map((part: unknown) => {
    const params =
      typeof part === 'object' && part !== null && 'params' in part ? part.params : undefined;
    const type = typeof part === 'object' && part !== null && 'type' in part ? part.type : part;
    return call(actionsText(type), typeof params === 'function' ? undefined : params);
  });

const call = (name: string, params?: unknown): string => {
  const given = params === undefined ? '' : JSON.stringify(params);
  const what = name === '(inline)' ? 'inline' : name;
  return /^[\p{ID_Start}_$][\p{ID_Continue}$]*$/u.test(what)
    ? `${what}(${given})`
    : `this[${JSON.stringify(what)}](${given})`;
};

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
