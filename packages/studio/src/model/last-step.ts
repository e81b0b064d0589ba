import { actorOf as actingIn, stepOf, transitionsOf } from '@conclave/core/internal/exploration';
import type { NodeId } from '@conclave/core/protocol';
import type { Moment, Step } from './run.js';
import type { System } from './system.js';

/**
 * The node that takes a step by this action; undefined for what happens to channels, and for
 * crashes between steps.
 */
export function actorOf({ action }: Step): NodeId | undefined {
  const step = stepOf(action);
  return step && actingIn(step);
}

/** The last step that `node` took on the way to `moment`. */
export function lastStepOf(node: NodeId, moment: Moment): Step | undefined {
  for (let step = moment.step; step; step = step.from.step) if (actorOf(step) === node) return step;
  return undefined;
}

/** The keys of the transitions that a node took in its step, see `transitionsOf`. */
export function takenIn(
  { protocol, topology }: System,
  node: NodeId,
  { from, action }: Step,
): readonly string[] {
  const state = from.world.nodes[node];
  return state && stepOf(action)?.type !== 'restart'
    ? transitionsOf(protocol, topology, node, state, action)
    : [];
}
