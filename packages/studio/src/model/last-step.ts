import { actorOf as actingIn, stepOf, transitionsOf } from '@conclave/core/internal/exploration';
import type { NodeId } from '@conclave/core/protocol';
import type { Step } from './run.js';
import type { System } from './system.js';

/**
 * The node that takes a step by this action; undefined for what happens to channels, and for
 * crashes between steps.
 */
export function actorOf({ action }: Pick<Step, 'action'>): NodeId | undefined {
  const step = stepOf(action);
  return step && actingIn(step);
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
