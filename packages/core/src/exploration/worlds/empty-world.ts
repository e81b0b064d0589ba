import type { Topology } from '../../topology/topology.js';
import type { Budget } from './budget.js';
import type { Clockwork } from './clockwork.js';
import type { Commands } from './commands.js';
import type { World } from './world.js';

/** The world before any node has started: the whole budget is left. */
export function emptyWorld({
  topology,
  budget,
  commands,
  clockwork,
}: {
  readonly topology: Topology;
  readonly budget: Budget;
  readonly commands: Commands;
  readonly clockwork: Clockwork | undefined;
}): World {
  const { commands: times = 1, initiators = topology.nodes } = budget;
  const { losses = 0, duplications = 0, crashes = 0, restarts = 0, partitions = 0 } = budget;
  const timesAt = (id: string) => (initiators.includes(id) ? times : 0);
  return {
    nodes: {},
    channels: {},
    crashed: [],
    cut: [],
    choosing: [],
    remaining: {
      commands: Object.fromEntries(
        topology.nodes.map((id) => [id, commands.initially(timesAt(id))]),
      ),
      fulfilled: Object.fromEntries(topology.nodes.map((id) => [id, []])),
      ...{ losses, duplications, crashes, restarts, partitions },
    },
    ...(clockwork && { clocks: { dues: {}, nodes: {} } }),
  };
}
