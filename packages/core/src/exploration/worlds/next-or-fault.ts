import { ConclaveError } from '../../protocol/error.js';
import { breaksRules } from '../../protocol/rules.js';
import type { Action, World } from './world.js';
import type { Worlds } from './worlds.js';

/** The world after `action`, or how the action breaks the rules of the protocol. */
export function nextOrFault(worlds: Worlds, world: World, action: Action): World | ConclaveError {
  try {
    return worlds.next(world, action);
  } catch (error) {
    if (breaksRules(error)) return error;
    throw error;
  }
}

/** How a step from `world` can break the rules of the protocol. */
export function faultIn(worlds: Worlds, world: World): ConclaveError | undefined {
  for (const action of worlds.actions(world)) {
    const next = nextOrFault(worlds, world, action);
    if (next instanceof ConclaveError) return next;
  }
  return undefined;
}
