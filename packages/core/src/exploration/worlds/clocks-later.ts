import type { Topology } from '../../topology/topology.js';
import type { Clocks, Clockwork } from './clockwork.js';
import type { World } from './world.js';

/** The clocks one tick later; undefined in untimed runs, and if something is due now. */
export function clocksLater(
  {
    topology,
    clockwork,
  }: { readonly topology: Topology; readonly clockwork: Clockwork | undefined },
  { clocks }: World,
): Clocks | undefined {
  if (!clockwork || !clocks) return undefined;
  const nodes = topology.nodes.map(
    (id) => [id, clockwork.nodeLater(clocks.nodes[id] ?? clockwork.stopped)] as const,
  );
  const dues = Object.entries(clocks.dues).map(
    ([key, waiting]) => [key, clockwork.channelLater(waiting)] as const,
  );
  if ([...nodes, ...dues].some(([, later]) => !later)) return undefined;
  // each is there
  return { dues: Object.fromEntries(dues), nodes: Object.fromEntries(nodes) } as Clocks;
}
