import { Random } from '../../base/random.js';
import type { Message, NodeId } from '../../protocol/node.js';
import type { Action, World } from '../worlds/world.js';
import { Worlds } from '../worlds/worlds.js';
import type { Fixpoint } from './fixpoint.js';
import type { LocalEvent } from './local-event.js';
import type { LocalSteps } from './local-steps.js';
import { messageIn, partIn } from './part.js';
import { keyOf, type PartialWorld } from './partial-worlds.js';
import { type Comparison, Sight } from './sight.js';
import { textOf } from './text.js';
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
  const { spec } = family.topology(free);
  const worlds = new Worlds(family.protocol, family.topology(free), { commands });
  const sight = new Sight(comparison, free);
  const random = new Random(seed);
  const choose = chooserOf(random);
  const masks = () =>
    sight.views.length <= mostViews
      ? sight.views
      : Array.from({ length: mostViews }, () => random.pick(sight.views));
  const seen: PartialWorld[] = [];
  let world = worlds.initial;
  let partial = sight.names.map((id) => partOf(comparison, world, sight, id));
  for (let taken = 0; ; taken++) {
    seen.push(partial);
    if (masks().some((mask) => !views.has(keyOf(stepping.worlds.seen(partial, mask)))))
      throw new Unprovable(
        `a run of ${spec} shows something after ${taken} steps that no view has`,
      );
    const actions = worlds.actions(world);
    if (actions.length === 0 || taken === steps) return seen;
    const chosen = choose(actions, taken);
    const [id, event] = stepOf(stepping.local, chosen);
    const position = sight.names.indexOf(id);
    const { state } = stepping.parts.at(partial[position] ?? 0);
    const outcomes = sight.compare(id, state, event, masks());
    world = worlds.next(world, chosen);
    const changed = event.kind === 'message' ? [id, event.from] : [id];
    partial = partial.map((part, index) => {
      const name = sight.names[index] ?? '';
      return changed.includes(name) ? partOf(comparison, world, sight, name) : part;
    });
    const after = textOf(stepping.parts.at(partial[position] ?? 0).state);
    if (!outcomes.some((outcome) => textOf(outcome.state) === after))
      throw new Unprovable(`a run of ${spec} has a step that no guess of its numbers shows`);
  }
}

/** Chooses among the actions of a run: some kinds are frequent for a while, and then others. */
export function chooserOf(random: Random): (actions: readonly Action[], taken: number) => Action {
  const weights = new Map<string, number>();
  return (actions, taken) => {
    if (taken % phase === 0) weights.clear();
    return random.draw(
      actions,
      actions.map((action) => {
        const kind = action.type === 'deliver' ? action.message.type : action.type;
        const weight = weights.get(kind) ?? random.pick([1, 2, 6, 20]);
        weights.set(kind, weight);
        return weight;
      }),
    );
  };
}

/** The node that acts, and what it reacts to, without the numbers that views forget. */
export function stepOf(local: LocalSteps, action: Action): readonly [NodeId, LocalEvent] {
  if (action.type === 'command') return [action.node, { kind: 'command', command: action.command }];
  if (action.type === 'timeout') return [action.node, { kind: 'timeout', timer: action.timer }];
  if (action.type !== 'deliver') throw new Unprovable(`views know no '${action.type}'`);
  const message = messageIn(action.message, local.everybody, local.detail);
  return [action.to, { kind: 'message', from: action.from, message }];
}

/** The part of a node of a whole world, without the numbers that views forget. */
function partOf({ stepping, detail }: Comparison, world: World, sight: Sight, id: NodeId): number {
  const state = world.nodes[id];
  if (!state) throw new Unprovable(`there is no node '${id}'`);
  const out: Record<string, readonly Message[]> = {};
  for (const to of sight.names) {
    const messages = world.channels[`${id}→${to}`];
    if (messages) out[to] = messages;
  }
  const everybody = sight.renaming(2 ** sight.free - 1);
  return stepping.parts.numberOf(partIn({ role: sight.role(id), state, out }, everybody, detail));
}
