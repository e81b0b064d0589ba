import type { CompiledWorlds } from '../../search/tables/compiled-worlds.js';
import type { Search } from '../../search/traversal/search.js';
import type { Evidence } from '../properties/compiled-property.js';

/** The run that decides a property, as numbers of actions from the initial world. */
export interface DecidingRun {
  readonly taken: readonly number[];
  /**
   * Of a run that stops or goes on forever: the step, from 0, where its loop begins; as many as
   * there are steps if it stops.
   */
  readonly loopsFrom?: number;
}

/** The run for what a search has found. */
export function runOf(
  compiled: CompiledWorlds,
  { world, onward = [], action, run }: Evidence,
  { store, graph }: Pick<Search, 'store' | 'graph'>,
): DecidingRun {
  const path = [...store.pathTo(world).actions];
  if (graph) for (const edge of onward) path.push(graph.action(edge));
  if (run && graph) {
    const { entry, approach, edges } = run;
    // A loop that begins while a choice is open is shown from the world where all are answered,
    // once around.
    const settled = [entry, ...edges.map((edge) => graph.target(edge))].findIndex((at) =>
      isSettled(compiled, store, at),
    );
    for (const edge of [...approach, ...edges, ...edges.slice(0, Math.max(0, settled))])
      path.push(graph.action(edge));
  }
  const taken = action === undefined ? path : [...path, action];
  return { taken, ...(run && graph ? { loopsFrom: taken.length - run.edges.length } : {}) };
}

function isSettled(compiled: CompiledWorlds, store: Search['store'], world: number): boolean {
  const vector = new Int32Array(compiled.width);
  store.read(world, vector);
  return compiled.encoding.decode(vector).choosing.length === 0;
}
