import type { AnyStateMachine, AnyStateNode, AnyTransitionDefinition } from 'xstate';
import type { Slot } from './mutant.js';
import { type Rule, type Rules, type State, stateOf } from './statechart.js';

/** A state as a target from anywhere: XState looks ids up by their first part. */
const absolute = (node: AnyStateNode): string =>
  `#${[node.machine.root.id, ...node.path].map((key) => key.replace(/[\\.]/g, '\\$&')).join('.')}`;

/** The statechart of a machine, written out, with absolute targets. */
export function statechartOf(machine: AnyStateMachine): State {
  return resolvedState(machine.root, stateOf(machine.config));
}

function resolvedState(node: AnyStateNode, state: State): State {
  const resolve = (slot: Slot, rules: Rules): Rules => {
    const definitions = definitionsIn(node, slot);
    return rules.map((rule, index) => resolvedRule(rule, definitions[index]));
  };
  const each = (kind: 'on' | 'after') =>
    Object.fromEntries(
      Object.entries(state[kind]).map(([key, rules]) => [key, resolve({ kind, key }, rules)]),
    );
  return {
    ...state,
    on: each('on'),
    after: each('after'),
    always: resolve({ kind: 'always', key: '' }, state.always),
    onDone: resolve({ kind: 'onDone', key: '' }, state.onDone),
    states: Object.fromEntries(
      Object.entries(state.states).map(([key, child]) => [
        key,
        resolvedState(node.states[key] as AnyStateNode, child),
      ]), // XState makes a node of each
    ),
  };
}

function resolvedRule(rule: Rule, definition: AnyTransitionDefinition | undefined): Rule {
  return definition?.target === undefined
    ? rule
    : { ...rule, target: definition.target.map(absolute) };
}

/** What XState has made of the candidates in `slot`, in their order. */
export function definitionsIn(
  node: AnyStateNode,
  { kind, key }: Slot,
): readonly AnyTransitionDefinition[] {
  if (kind === 'always') return node.always ?? [];
  if (kind === 'after') return node.after.filter(({ delay }) => String(delay) === key);
  return node.transitions.get(kind === 'on' ? key : `xstate.done.state.${node.id}`) ?? [];
}

/** The state node at `path`. */
export function nodeAt(machine: AnyStateMachine, path: readonly string[]): AnyStateNode {
  // paths come from this machine
  return path.reduce<AnyStateNode>((node, key) => node.states[key] as AnyStateNode, machine.root);
}

/**
 * The other targets of a rule: the siblings of its target, and of the target's ancestors up to one
 * that contains the source, too; for a rule without a target, the siblings of its own state.
 */
export function otherTargets(
  source: AnyStateNode,
  definition: AnyTransitionDefinition | undefined,
): readonly string[] {
  const [target, ...more] = definition?.target ?? [];
  if (more.length > 0) return []; // into several regions at once: there is no single other place
  const found: AnyStateNode[] = [];
  // A transition to its own atomic state that does not reenter it changes nothing.
  const staysIn = (node: AnyStateNode) =>
    node === source && node.type === 'atomic' && definition?.reenter !== true;
  for (let node = target ?? source; node.parent !== undefined; node = node.parent) {
    const { parent } = node;
    if (parent.type !== 'parallel')
      for (const sibling of Object.values(parent.states))
        if (sibling !== node && sibling.type !== 'history' && !staysIn(sibling))
          found.push(sibling);
    if (target === undefined || parent === source || isAround(parent, source)) break;
  }
  return found.map(absolute);
}

function isAround(outer: AnyStateNode, inner: AnyStateNode): boolean {
  return inner.parent !== undefined && (inner.parent === outer || isAround(outer, inner.parent));
}
