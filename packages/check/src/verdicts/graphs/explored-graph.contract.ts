import { KernelStore } from '../../search/kernel/kernel-store.js';
import { Graph } from '../../search/traversal/graph.js';

/**
 * The result of a search of a graph whose worlds are numbers: `worlds` were found, and the first
 * `expanded` were expanded. Each edge is an action.
 */
export function exploredGraph(
  worlds: number,
  expanded: number,
  edges: readonly { readonly source: number; readonly target: number }[],
) {
  const graph = new Graph();
  for (let world = 0; world < expanded; world++) {
    graph.begin(world);
    for (const [action, { source, target }] of edges.entries())
      if (source === world) graph.edge(world, target, action);
  }
  const store = new KernelStore(1);
  for (let world = 0; world < worlds; world++) store.push(-1, -1, Int32Array.of(world));
  store.lookUp(() => {});
  return { store, graph, width: 1 };
}
