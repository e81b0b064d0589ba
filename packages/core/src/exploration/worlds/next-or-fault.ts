import { ConclaveError } from '../../base/error.js';
import { breaksRules, violatedBy } from '../../protocol/unhandled-messages.js';
import type { Action, World } from './world.js';
import type { Worlds } from './worlds.js';

/** The world after `action`, or the error if the node's machine cannot take it. */
export function nextOrFault(
  worlds: Pick<Worlds, 'next'>,
  world: World,
  action: Action,
): World | ConclaveError {
  try {
    return worlds.next(world, action);
  } catch (error) {
    if (breaksRules(error)) return error;
    throw error;
  }
}

/** The error of an action in `world` that violates a standard property, if one does. */
export function faultIn(worlds: Worlds, world: World, property: string): ConclaveError | undefined {
  for (const action of worlds.actions(world)) {
    const next = nextOrFault(worlds, world, action);
    if (next instanceof ConclaveError && violatedBy(next, worlds.budget.unexpected) === property)
      return next;
  }
  return undefined;
}
