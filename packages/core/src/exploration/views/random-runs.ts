import { Random } from '../../base/random.js';
import type { Message } from '../../protocol/node.js';
import type { World } from '../worlds/world.js';
import { Worlds } from '../worlds/worlds.js';
import type { Fixpoint } from './fixpoint.js';
import { type Detail, partIn } from './part.js';
import { keyOf, type PartialWorld } from './partial-worlds.js';
import type { Stepping } from './stepping.js';
import { Unprovable } from './unprovable.js';

const commands = 1000;

/**
 * Takes random steps of a whole network, by the definition of exploration, and looks whether each
 * world shows only known views. Returns how many steps there were.
 * @throws {Unprovable} where one does not: then views were left out.
 */
export function randomRun(
  stepping: Stepping,
  detail: Detail,
  { views }: Fixpoint,
  { k, free, steps, seed }: Readonly<Record<'k' | 'free' | 'steps' | 'seed', number>>,
): number {
  const { family } = stepping;
  const worlds = new Worlds(family.protocol, family.topology(free), { commands });
  const random = new Random(seed);
  const weights = new Map<string, number>();
  let world = worlds.initial;
  for (let taken = 0; taken < steps; taken++) {
    for (const view of stepping.worlds.views(partialOf(stepping, detail, world, free), k))
      if (!views.has(keyOf(view)))
        throw new Unprovable(
          `a run of ${family.topology(free).spec} shows something after ${taken} steps that no view has`,
        );
    const actions = worlds.actions(world);
    if (actions.length === 0) return taken;
    // some kinds of steps are rare in a run, so that queues and channels fill
    const chosen = random.draw(
      actions,
      actions.map((action) => {
        const kind = action.type === 'deliver' ? action.message.type : action.type;
        const weight = weights.get(kind) ?? random.pick([1, 2, 6, 20]);
        weights.set(kind, weight);
        return weight;
      }),
    );
    world = worlds.next(world, chosen);
  }
  return steps;
}

/** A whole world, without the numbers that views forget. */
function partialOf(stepping: Stepping, detail: Detail, world: World, free: number): PartialWorld {
  const { family, parts } = stepping;
  const names = family.names(free);
  const everybody = family.renaming(free, (1 << free) - 1);
  return names.map((id) => {
    const state = world.nodes[id];
    if (!state) throw new Unprovable(`there is no node '${id}'`);
    const out: Record<string, readonly Message[]> = {};
    for (const to of names) {
      const messages = world.channels[`${id}→${to}`];
      if (messages) out[to] = messages;
    }
    return parts.numberOf(partIn({ role: family.roleOf(id, free), state, out }, everybody, detail));
  });
}
