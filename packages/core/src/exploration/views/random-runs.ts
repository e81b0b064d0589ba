import { Random } from '../../base/random.js';
import type { Message, NodeId } from '../../protocol/node.js';
import type { Action, World } from '../worlds/world.js';
import { Worlds } from '../worlds/worlds.js';
import type { Fixpoint } from './fixpoint.js';
import type { LocalEvent } from './local-steps.js';
import { messageIn, partIn } from './part.js';
import { keyOf, type PartialWorld } from './partial-worlds.js';
import { type Comparison, Sight } from './sight.js';
import { Unprovable } from './unprovable.js';

const commands = 1000;
/** After so many steps, other kinds of them become rare, so that queues fill, and empty again. */
const phase = 50;
/** Of a world that has more views, so many are looked at. */
const mostViews = 12;

/**
 * Takes random steps of a whole network, by the definition of exploration. Each world must show
 * known views only, and each step must be one that a world of a few nodes shows. Returns the worlds.
 * @throws {Unprovable} where one does not: then views were left out.
 */
export function randomRun(
  comparison: Comparison,
  { views }: Fixpoint,
  { free, steps, seed }: Readonly<Record<'free' | 'steps' | 'seed', number>>,
): readonly PartialWorld[] {
  const { family, stepping } = comparison;
  const worlds = new Worlds(family.protocol, family.topology(free), { commands });
  const sight = new Sight(comparison, free);
  const random = new Random(seed);
  const weights = new Map<string, number>();
  const masks = () =>
    sight.views.length <= mostViews
      ? sight.views
      : Array.from({ length: mostViews }, () => random.pick(sight.views));
  const seen: PartialWorld[] = [];
  let world = worlds.initial;
  for (let taken = 0; ; taken++) {
    const partial = partialOf(comparison, world, free);
    seen.push(partial);
    if (masks().some((mask) => !views.has(keyOf(stepping.worlds.seen(partial, mask)))))
      throw new Unprovable(
        `a run of ${family.topology(free).spec} shows something after ${taken} steps that no view has`,
      );
    const actions = worlds.actions(world);
    if (actions.length === 0 || taken === steps) return seen;
    if (taken % phase === 0) weights.clear();
    const chosen = random.draw(
      actions,
      actions.map((action) => {
        const kind = action.type === 'deliver' ? action.message.type : action.type;
        const weight = weights.get(kind) ?? random.pick([1, 2, 6, 20]);
        weights.set(kind, weight);
        return weight;
      }),
    );
    const [id, event] = stepOf(comparison, chosen);
    const { state } = stepping.parts.at(partial[sight.names.indexOf(id)] ?? 0);
    sight.compare(id, state, event, masks());
    world = worlds.next(world, chosen);
  }
}

function stepOf({ stepping, detail }: Comparison, action: Action): readonly [NodeId, LocalEvent] {
  if (action.type === 'command') return [action.node, { kind: 'command', command: action.command }];
  if (action.type === 'timeout') return [action.node, { kind: 'timeout', timer: action.timer }];
  if (action.type !== 'deliver') throw new Unprovable(`views know no '${action.type}'`);
  const message = messageIn(action.message, stepping.local.everybody, detail);
  return [action.to, { kind: 'message', from: action.from, message }];
}

/** A whole world, without the numbers that views forget. */
function partialOf({ stepping, detail }: Comparison, world: World, free: number): PartialWorld {
  const { family, parts } = stepping;
  const names = family.names(free);
  const everybody = family.renaming(free, 2 ** free - 1);
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
