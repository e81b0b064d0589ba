import type { AnyStateMachine, AnyStateNode, AnyTransitionDefinition } from 'xstate';
import { matches } from '../protocol/handles.js';
import { stateNodes } from '../protocol/state-nodes.js';
import { pathOf } from './mermaid-text.js';

/** The innermost states in which a machine reacts to an event, and those in which it ignores it. */
export interface Coverage {
  readonly handled: readonly string[];
  readonly ignored: readonly string[];
  /** Every innermost state, in the order of the config. */
  readonly states: readonly string[];
}

export function coverage(machine: AnyStateMachine, type: string): Coverage {
  const innermost = stateNodes(machine).filter(
    (node) => node.type === 'atomic' || node.type === 'final',
  );
  const taken = innermost
    .map((node) => ({ node, choices: choicesFor(node, type) }))
    .filter(({ choices }) => choices.length > 0);
  const acts = ({ target, actions }: AnyTransitionDefinition) =>
    target !== undefined || actions.length > 0;
  return {
    handled: taken.filter(({ choices }) => choices.some(acts)).map(({ node }) => pathOf(node)),
    ignored: taken.filter(({ choices }) => !choices.some(acts)).map(({ node }) => pathOf(node)),
    states: innermost.map(pathOf),
  };
}

/**
 * The transitions that may answer `type` in `node`, in XState's order: exact name first, inside
 * before outside, up to one unguarded.
 */
function choicesFor(node: AnyStateNode, type: string): readonly AnyTransitionDefinition[] {
  const rank = (descriptor: string) => (descriptor === type ? Infinity : descriptor.length);
  const own = [...node.transitions]
    .filter(([descriptor]) => matches(descriptor, type))
    .sort(([a], [b]) => rank(b) - rank(a))
    .flatMap(([, choices]) => choices);
  const sure = own.findIndex(({ guard }) => guard === undefined);
  if (sure >= 0) return own.slice(0, sure + 1);
  return node.parent ? [...own, ...choicesFor(node.parent, type)] : own;
}
