import { KernelWorlds } from '../kernel/kernel-worlds.js';
import { atDepth, atStates, goesOn, isEnded } from '../kernel/layout.js';
import type { KernelExports } from '../kernel/web-assembly.js';
import type { Limit } from '../limits/limits.js';
import { LimitReached, Watch } from '../limits/watch.js';
import type { CompiledWorlds } from '../tables/compiled-worlds.js';
import { Graph } from './graph.js';
import type { Search, SearchListener, SearchOptions } from './search.js';

/** What `found` looks at of a world: worlds that are equal in it have the same results. */
export interface Projection {
  /** How much `found` has looked at so far: it grows, and the classes change with it. */
  readonly size: number;
  /** Whether it looked at messages in flight. */
  readonly seesMessages: boolean;
  /** Forgets the classes: from now on they are those of what was looked at so far. */
  renew(): void;
  /** The class of a configuration of a node. */
  nodeClass(node: number, configuration: number): number;
  /** The class of the content of a channel. */
  contentClass(content: number): number;
}

const largest = 2 ** 31 - 1;
/** Progress is reported after so many expansions. */
const progressEvery = 32_768;

/**
 * Searches the worlds of a system breadth-first, in WebAssembly. With a `projection`, `found` is
 * called only for worlds that differ in it from all before.
 */
export function searchByKernel(
  system: CompiledWorlds,
  {
    limits = {},
    watch = new Watch(limits),
    graph: keepsEdges = false,
  }: Pick<SearchOptions, 'limits' | 'watch' | 'graph'>,
  listener: SearchListener,
  projection?: Projection,
): Search {
  const { kernel, width, layout } = system;
  const { memory } = kernel;
  const { calls } = memory;
  const store = new KernelWorlds(memory);
  const graph = keepsEdges ? new Graph() : undefined;
  graph?.begin(0); // no edge leads to it
  const vector = new Int32Array(width);
  watch.outside = () => memory.bytes;
  watch.counted = () => memory.bytes + (graph?.bytes ?? 0);
  let known = -1;
  const renewClasses = () => {
    if (!projection || projection.size === known) return;
    known = projection.size;
    projection.renew();
    calls.prepareSignatures(layout.nodes, projection.seesMessages ? layout.receivers.length : 0);
  };
  kernel.listener = {
    found: (world) => {
      memory.refresh();
      store.read(world, vector);
      const isGoing = listener.found(world, vector);
      renewClasses();
      return isGoing;
    },
    ended: (world) => {
      vector.set(memory.view(calls.state.value, width));
      return listener.ended(world, vector);
    },
    fault: (action, step) => listener.fault(calls.current(), action, system.errorOf(step)),
    takeEdges: (first, degrees, targets, actions) =>
      graph?.append(first, degrees, targets, actions),
    nodeClass: (node, configuration) => projection?.nodeClass(node, configuration) ?? 0,
    contentClass: (content) => projection?.contentClass(content) ?? 0,
  };
  renewClasses();
  system.initial(vector);
  memory.view(calls.into.value, width).set(vector);
  memory.prepare(width, kernel.mostBytes);
  calls.begin(
    width,
    kernel.mostBytes,
    Math.min(limits.states ?? largest, largest),
    Math.min(limits.depth ?? largest, largest),
    projection !== undefined,
    keepsEdges,
  );
  const { limit, isComplete } = finish(calls, watch, (states, transitions, depth) =>
    listener.progress(states, transitions, depth),
  );
  memory.refresh();
  return {
    store,
    graph,
    starts: 1,
    states: store.size,
    transitions: calls.steps.value,
    depth: calls.depth(),
    width: calls.mostWaiting.value,
    ...(limit ? { limit } : {}),
    complete: isComplete,
  };
}

/** Runs a search to its end, or to a limit. */
function finish(
  calls: KernelExports,
  watch: Watch,
  progress: SearchListener['progress'],
): { readonly limit?: Limit; readonly isComplete: boolean } {
  try {
    for (;;) {
      const result = calls.run();
      if (result === atStates) return { limit: 'states', isComplete: false };
      if (result === atDepth) return { limit: 'depth', isComplete: false };
      if (result !== goesOn) return { isComplete: result !== isEnded };
      watch.look();
      if (calls.expansions() % progressEvery === 0)
        progress(calls.size.value, calls.steps.value, calls.depth());
    }
  } catch (reached) {
    if (!(reached instanceof LimitReached)) throw reached;
    return { limit: reached.limit, isComplete: false };
  } finally {
    calls.flushEdges();
  }
}
