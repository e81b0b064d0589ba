import type { NodeId } from '../../protocol/node.js';
import type { HostEffect } from '../../protocol/step.js';
import type { Clockwork, NodeClock } from './clockwork.js';
import { type Parcel, put } from './in-flight.js';
import { crosses } from './partition.js';
import type { Choice, World } from './world.js';

/** What a node asks for by an effect. */
export const choiceOf = ({
  options,
  weights,
}: Extract<HostEffect, { readonly type: 'choose' }>): Choice => ({
  options,
  ...(weights && { weights }),
});

/** With the messages and the open choices of the effects of node `id`. */
export function withEffects(
  { clockwork }: { readonly clockwork: Clockwork | undefined },
  world: World,
  id: NodeId,
  effects: readonly HostEffect[],
): World {
  let next = world;
  for (const effect of effects) {
    if (effect.type === 'choose')
      next = { ...next, choosing: [...next.choosing, { node: id, ...choiceOf(effect) }] };
    if (effect.type !== 'send') continue;
    const { to, message } = effect;
    const due = clockwork?.due(id, to, message);
    const sent: Parcel = { from: id, to, message, ...(due && { due }) };
    if (!crosses(world.cut, sent)) next = put(next, sent);
  }
  return next;
}

/** The effects without the sends at these positions among the sends. */
export function withoutSends(
  effects: readonly HostEffect[],
  lost: readonly number[],
): readonly HostEffect[] {
  let position = 0;
  return effects.filter(({ type }) => type !== 'send' || !lost.includes(position++));
}

export const withClock = (world: World, id: NodeId, clock: NodeClock | undefined): World =>
  world.clocks && clock
    ? { ...world, clocks: { ...world.clocks, nodes: { ...world.clocks.nodes, [id]: clock } } }
    : world;
