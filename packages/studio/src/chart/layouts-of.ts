import type { Protocol } from '@conclave/core/protocol';
import type { Layouts } from './chart-layout.js';
import { graphOf, keyOf } from './graph.js';
import { layOut } from './layout.js';

/**
 * Larger charts are laid out by rows, in the page: elkjs takes most of a minute for a thousand
 * states.
 */
export const mostBoxes = 150;

/**
 * The layouts of all statecharts of these protocols, each once, but for very large ones. Runs in
 * Node.
 */
export async function layoutsOf(protocols: readonly Protocol[]): Promise<Layouts> {
  const graphs = protocols
    .flatMap(({ roles }) => Object.values(roles).map(({ machine }) => graphOf(machine)))
    .filter(({ boxes }) => boxes.length <= mostBoxes);
  const byKey = new Map(graphs.map((graph) => [keyOf(graph), graph]));
  return Object.fromEntries(
    await Promise.all([...byKey].map(async ([key, graph]) => [key, await layOut(graph)] as const)),
  );
}
