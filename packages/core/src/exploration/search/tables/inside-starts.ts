import type { Action, World } from '../../worlds/world.js';
import type { Worlds } from '../../worlds/worlds.js';
import type { Encoding } from './encoding.js';
import type { Environment } from './environment.js';
import type { DataInterner } from './interner.js';

/** A system whose worlds and actions are numbered. */
interface Numbered {
  readonly worlds: Worlds;
  readonly environments: DataInterner<Environment>;
  readonly encoding: Encoding;
  readonly width: number;
  actionNumber(action: Action): number;
}

/**
 * The crashes in the middle of a start, in the first world with this environment: action, how many
 * numbers change, slot, number, slot … Only slots of the node change.
 */
export function insideStarts(compiled: Numbered, environment: number): readonly number[] {
  const { worlds, environments, encoding, width } = compiled;
  const { remaining, ...rest } = environments.item(environment);
  const world: World = {
    ...worlds.initial,
    ...rest,
    remaining: { ...worlds.initial.remaining, ...remaining },
  };
  const [before, after] = [new Int32Array(width), new Int32Array(width)];
  encoding.encode(world, before);
  const starts = worlds
    .actions(world)
    .filter((action) => action.type === 'crash' && action.during?.type === 'start');
  return starts.flatMap((action) => {
    encoding.encode(worlds.next(world, action), after);
    const changed = [...after.keys()].filter((slot) => after[slot] !== before[slot]);
    return [
      compiled.actionNumber(action),
      changed.length,
      ...changed.flatMap((slot) => [slot, after[slot] as number]),
    ];
  });
}
