/** How long a failure detector takes in exact time: the longest and the shortest, over all runs. */
import { type ExploreOptions, model } from '@conclave/core/exploration';
import type { NodeView, Protocol } from '@conclave/core/protocol';
import type { Topology } from '@conclave/core/topology';
import { suspectedBy } from './failure-detection.js';

type Time = Exclude<NonNullable<ExploreOptions['time']>, 'untimed'>;

/** In milliseconds from a crash. */
export interface DetectionTime {
  /** When a live node first suspects the crashed one. */
  readonly least: number;
  /** From when on each live node suspects it, without a break; Infinity if that may take longer than `patience`. */
  readonly most: number;
}

/**
 * Explores every run of a small system in which one node crashes at any moment, with a stopwatch that starts with the crash.
 *
 * @param patience how long to wait for the suspicion, in milliseconds.
 */
export function detectionTime(protocol: Protocol, topology: Topology, time: Time, patience: number): DetectionTime {
  const { worlds, options } = model(protocol, topology, { time, crashes: 1 });
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
      const suspects = (node: NodeView) => suspectedBy(node).includes(crashed);
      const live = worlds.view(world).nodes.filter((node) => !node.crashed);
      if (live.some(suspects)) least = Math.min(least, ticks * tick);
      if (!live.every(suspects)) most = Math.max(most, ticks * tick);
      if (ticks * tick > patience) continue;
    }
    for (const action of worlds.actions(world))
      open.push({ world: worlds.next(world, action), ticks: ticks + (crashed !== undefined && action.type === 'tick' ? 1 : 0) });
  }
  return { least, most: most > patience ? Infinity : most };
}
