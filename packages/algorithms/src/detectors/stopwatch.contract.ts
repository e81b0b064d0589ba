/** How long something takes after a crash in exact time: the longest and the shortest, over all runs. */
import { type ExploreOptions, model } from '@conclave/core/exploration';
import type { NodeId, NodeView, Protocol, SystemView } from '@conclave/core/protocol';
import type { Topology } from '@conclave/core/topology';
import { suspectedBy } from './failure-detection.js';

/** In milliseconds from the crash. */
export interface Duration {
  /** When it first begins. */
  readonly least: number;
  /** From when on it is done, without a break; Infinity if that may take longer than `patience`. */
  readonly most: number;
}

export interface Stopwatch {
  /** One node crashes where this allows it. */
  readonly budget: ExploreOptions;
  readonly begun: (system: SystemView, crashed: NodeId) => boolean;
  readonly done: (system: SystemView, crashed: NodeId) => boolean;
  /** How long to wait, in milliseconds. */
  readonly patience: number;
}

/** Explores every run of a small system in which one node crashes at any moment, with a stopwatch that starts with the crash. */
export function timeAfterCrash(protocol: Protocol, topology: Topology, { budget, begun, done, patience }: Stopwatch): Duration {
  const { worlds, options } = model(protocol, topology, { ...budget, crashes: 1 });
  const tick = worlds.clockwork?.tick ?? 0;
  let [least, most] = [Infinity, 0];
  const seen = new Set<string>();
  const open = [{ world: worlds.initial, ticks: 0 }];
  for (let moment = open.pop(); moment; moment = open.pop()) {
    const { world, ticks } = moment;
    const key = `${ticks} ${options.serializeState({ status: 'active', output: undefined, error: undefined, world })}`;
    if (seen.has(key)) continue;
    seen.add(key);
    const [crashed] = world.crashed;
    if (crashed !== undefined) {
      const view = worlds.view(world);
      if (begun(view, crashed)) least = Math.min(least, ticks * tick);
      if (!done(view, crashed)) most = Math.max(most, ticks * tick);
      if (ticks * tick > patience) continue;
    }
    for (const action of worlds.actions(world))
      open.push({ world: worlds.next(world, action), ticks: ticks + (crashed !== undefined && action.type === 'tick' ? 1 : 0) });
  }
  return { least, most: most > patience ? Infinity : most };
}

/** From the crash of a node to its suspicion by the first live node, and by all. */
export function detectionTime(
  protocol: Protocol,
  topology: Topology,
  time: ExploreOptions['time'] & object,
  patience: number,
  budget: ExploreOptions = {},
): Duration {
  const suspects = (crashed: NodeId) => (node: NodeView) => suspectedBy(node).includes(crashed);
  const live = ({ nodes }: SystemView) => nodes.filter((node) => !node.crashed);
  return timeAfterCrash(protocol, topology, {
    budget: { ...budget, time },
    begun: (system, crashed) => live(system).some(suspects(crashed)),
    done: (system, crashed) => live(system).every(suspects(crashed)),
    patience,
  });
}
