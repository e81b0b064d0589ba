import type { Action, World } from './worlds/world.js';
import type { Worlds } from './worlds/worlds.js';

/**
 * `a call`, `a→b ping(1)`, `drop a→b ping(1)`, `a timeout`, `a chooses high`, `a crash`,
 * `split b c`, `heal`.
 */
function text(action: Action): string {
  switch (action.type) {
    case 'command':
      return `${action.node} ${action.command.type}`;
    case 'deliver':
    case 'drop':
    case 'duplicate': {
      const { type, ...fields } = action.message;
      const values = Object.values(fields);
      const what = action.type === 'deliver' ? '' : `${action.type} `;
      return `${what}${action.from}→${action.to} ${type}${values.length > 0 ? `(${values.join()})` : ''}`;
    }
    case 'choose':
      return `${action.node} chooses ${String(action.value)}`;
    case 'timeout':
    case 'crash':
    case 'restart':
      return `${action.node} ${action.type}`;
    case 'split':
      return `split ${action.side.join(' ')}`;
    case 'heal':
    case 'tick':
      return action.type;
  }
}

/** The actions that are possible in `world`, one text each. */
export const texts = (worlds: Worlds, world: World): readonly string[] =>
  worlds.actions(world).map(text);

/** The actions with these texts, from the initial world on; each must be possible. */
export function actionsTo(worlds: Worlds, ...steps: readonly string[]): readonly Action[] {
  let world = worlds.initial;
  return steps.map((step) => {
    const action = worlds.actions(world).find((possible) => text(possible) === step);
    if (!action) throw new Error(`${step} is none of ${texts(worlds, world).join(', ')}`);
    world = worlds.next(world, action);
    return action;
  });
}

/** The world after the actions with these texts. */
export const reach = (worlds: Worlds, ...steps: readonly string[]): World =>
  actionsTo(worlds, ...steps).reduce((world, action) => worlds.next(world, action), worlds.initial);
