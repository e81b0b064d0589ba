import { badInput } from '../../base/error.js';
import { duplicate, take, takeAt } from './in-flight.js';
import { canArrive, isDue } from './in-world.js';
import type { Action, StepAction, World } from './world.js';

/** The world after an action that no node takes. */
export function afterNetworkAction(
  worlds: { later(world: World): World | undefined },
  world: World,
  action: Exclude<Action, StepAction | { readonly type: 'crash' }>,
): World {
  const { remaining } = world;
  switch (action.type) {
    case 'drop': {
      if (action.unsent !== undefined) return takeAt(world, action, action.unsent);
      const isFree = isDue(action) && !canArrive(world, action); // nothing is there to receive it
      const losses = remaining.losses - (isFree ? 0 : 1);
      return { ...take(world, action), remaining: { ...remaining, losses } };
    }
    case 'duplicate': {
      const duplications = remaining.duplications - 1;
      return { ...duplicate(world, action), remaining: { ...remaining, duplications } };
    }
    case 'split': {
      const partitions = remaining.partitions - 1;
      return { ...world, cut: action.side, remaining: { ...remaining, partitions } };
    }
    case 'heal':
      return { ...world, cut: [] };
    case 'tick': {
      const next = worlds.later(world);
      if (!next) throw badInput('No time can pass in this world', 'Let what is due happen first.');
      return next;
    }
  }
}
