/**
 * How long something takes after a crash, or a restart, in exact time: the longest and the
 * shortest, over all runs.
 */
import type { ExploreOptions, World } from '@conclave/check';
import { Worlds, worldKey } from '@conclave/check/internal';
import type { NodeId, NodeView, Protocol, SystemView } from '@conclave/core/protocol';
import type { Topology } from '@conclave/core/topology';
import { suspectedBy } from './failure-detection.js';

/** In milliseconds from the fault. */
export interface Duration {
  /** When it first begins. */
  readonly least: number;
  /** From when on it is done, without a break; Infinity if that may take longer than `patience`. */
  readonly most: number;
}

export interface Stopwatch {
  /** One node crashes where this allows it. */
  readonly budget: ExploreOptions;
  /** What starts it. Default: the crash. */
  readonly from?: 'crash' | 'restart';
  /** @param node the one that has crashed */
  readonly begun: (system: SystemView, node: NodeId) => boolean;
  readonly done: (system: SystemView, node: NodeId) => boolean;
  /** How long to wait, in milliseconds. */
  readonly patience: number;
}

/** A world, and since when the stopwatch runs, if it does. */
interface Moment {
  readonly world: World;
  readonly ticks: number;
  readonly node?: NodeId;
}

/**
 * Explores every run of a small system in which one node crashes at any moment, with a stopwatch
 * that starts with the crash, or the restart.
 */
export function timeAfterFault(
  protocol: Protocol,
  topology: Topology,
  stopwatch: Stopwatch,
): Duration {
  const { budget, from = 'crash', begun, done, patience } = stopwatch;
  const restarts = from === 'restart' ? 1 : 0;
  const worlds = new Worlds(protocol, topology, { ...budget, crashes: 1, restarts });
  const tick = worlds.clockwork?.tick ?? 0;
  let [least, most] = [Infinity, 0];
  const seen = new Set<string>();
  const open: Moment[] = [{ world: worlds.initial, ticks: 0 }];
  for (let moment = open.pop(); moment; moment = open.pop()) {
    const { world, ticks, node } = moment;
    const key = `${ticks} ${node} ${worldKey(world, worlds.order)}`;
    if (seen.has(key)) continue;
    seen.add(key);
    if (node !== undefined) {
      const view = worlds.view(world);
      if (begun(view, node)) least = Math.min(least, ticks * tick);
      if (!done(view, node)) most = Math.max(most, ticks * tick);
      if (ticks * tick > patience) continue;
    }
    for (const action of worlds.actions(world)) {
      const next = worlds.next(world, action);
      const failed =
        from === 'restart'
          ? action.type === 'restart'
            ? action.node
            : undefined
          : next.crashed[0];
      if (node !== undefined)
        open.push({ world: next, node, ticks: ticks + (action.type === 'tick' ? 1 : 0) });
      else open.push({ world: next, ticks: 0, ...(failed !== undefined && { node: failed }) });
    }
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
  return timeAfterFault(protocol, topology, {
    budget: { ...budget, time },
    begun: (system, crashed) => live(system).some(suspects(crashed)),
    done: (system, crashed) => live(system).every(suspects(crashed)),
    patience,
  });
}
