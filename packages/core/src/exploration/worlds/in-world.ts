/** What a world says of one node or one message. */
import { badInput } from '../../base/error.js';
import type { NodeId } from '../../protocol/node.js';
import type { LocalState } from '../../protocol/step.js';
import type { Link } from '../../topology/topology.js';
import type { Application } from './commands.js';
import type { Parcel } from './in-flight.js';
import { crosses } from './partition.js';
import type { World } from './world.js';

/** The local state of a node. @throws {ConclaveError} `bad-input` for an unknown one. */
export function localOf(world: World, id: NodeId): LocalState {
  const state = world.nodes[id];
  if (!state) throw badInput(`The world has no node '${id}'`);
  return state;
}

/** What the commands of a node have been so far. */
export const applicationOf = ({ remaining }: World, id: NodeId): Application => ({
  commands: remaining.commands[id] ?? [],
  fulfilled: remaining.fulfilled[id] ?? [],
});

/** Whether a message in flight may have arrived by now. */
export const isDue = ({ due }: Pick<Parcel, 'due'>): boolean =>
  due === undefined || due.least === 0;

/** Whether a message in flight on a channel can arrive now. */
export const canArrive = ({ crashed, cut }: World, channel: Link): boolean =>
  !crashed.includes(channel.to) && !crosses(cut, channel);
