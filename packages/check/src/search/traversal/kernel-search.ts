/**
 * The search in WebAssembly, breadth-first. The kernel has the worlds, the queue and the tables of
 * steps; it calls JavaScript for what needs the machines or the properties: an entry of a table, a
 * new world, an end, a fault, and the edges in blocks.
 *
 * For most worlds, the properties would answer what they have answered before. A property is a
 * function of what it reads: with a projection, the kernel calls `found` once for the worlds that are
 * equal in all that was read so far, which it tells by classes of configurations and contents. When a
 * property reads something new, the classes are finer, and the kernel forgets the old ones.
 */
import { type Resumable, runToEnd } from '../../base/resumable.js';
import { atDepth, atStates, goesOn, isEnded } from '../kernel/format/search.js';
import type { Kernel, Layout } from '../kernel/kernel.js';
import type { KernelExports } from '../kernel/kernel-memory.js';
import { KernelWorlds } from '../kernel/kernel-store.js';
import { type Limit, LimitReached, type Limits, Watch } from '../limits/limits.js';
import { Graph } from './graph.js';
import type { Search, SearchListener, SearchOptions, System } from './search.js';

/** A system whose tables are in the memory of a kernel. */
interface TabledSystem extends Pick<System, 'width' | 'initial' | 'errorOf'> {
  readonly kernel: Kernel;
  readonly layout: Layout;
}

/** What `found` has read of worlds. */
export interface Projection {
  /** How many different parts: where it has grown, the classes are too coarse. */
  readonly size: number;
  /** Whether messages in flight were read. */
  readonly seesMessages: boolean;
  /** Forgets the classes: from now on they are those of all that was read. */
  renew(): void;
  /** The class of a configuration of a node. */
  nodeClass(node: number, configuration: number): number;
  /** The class of the content of a channel. */
  contentClass(content: number): number;
}

const largest = 2 ** 31 - 1;
/** Progress is reported after so many expansions. */
const progressEvery = 32_768;
/** Or after so many milliseconds, where steps are slow. */
const progressAfter = 200;

/**
 * Searches the worlds of a system. With a `projection`, `found` is called only for worlds that differ
 * in it from all before.
 */
export const searchByKernel = (...given: Parameters<typeof searchByKernelResumably>): Search =>
  runToEnd(searchByKernelResumably(...given));

/** The same as resumable work: the kernel keeps what it has found while it is held. */
export function* searchByKernelResumably(
  system: TabledSystem,
  {
    limits = {},
    watch = new Watch(limits),
    graph: keepsEdges = false,
  }: Pick<SearchOptions, 'limits' | 'watch' | 'graph'>,
  listener: SearchListener,
  projection?: Projection,
): Resumable<Search> {
  const { kernel, width } = system;
  const { memory } = kernel;
  const { calls } = memory;
  const store = new KernelWorlds(memory);
  const graph = keepsEdges ? new Graph() : undefined;
  graph?.begin(0); // no edge leads to it
  const vector = new Int32Array(width);
  watch.outside = () => memory.bytes;
  watch.counted = () => memory.bytes + (graph?.bytes ?? 0);
  const classes = new Classes(system, projection);
  kernel.listener = {
    found: (world) => {
      memory.refresh();
      store.read(world, vector);
      const isGoing = listener.found(world, vector);
      classes.renew();
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
  classes.renew();
  system.initial(vector, 0);
  begin(system, vector, { limits, isProjected: projection !== undefined, keepsEdges });
  const { limit, isComplete } = yield* runKernel(calls, watch, (states, transitions, depth) =>
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

/** Gives the kernel the initial world, the limits, and whether it asks for classes, keeps edges. */
function begin(
  { kernel, width }: TabledSystem,
  initial: Int32Array,
  options: { readonly limits: Limits; readonly isProjected: boolean; readonly keepsEdges: boolean },
): void {
  const { limits, isProjected, keepsEdges } = options;
  const { memory, mostBytes } = kernel;
  const { calls } = memory;
  memory.view(calls.into.value, width).set(initial);
  memory.prepare(width, mostBytes);
  const most = (limit: number = largest) => Math.min(limit, largest);
  calls.begin(width, mostBytes, most(limits.states), most(limits.depth), isProjected, keepsEdges);
}

/** The classes that the kernel knows: those of the projection when it had this size. */
class Classes {
  #size = -1;

  constructor(
    private readonly system: TabledSystem,
    private readonly projection: Projection | undefined,
  ) {}

  /** Forgets the classes if the projection has grown. */
  renew(): void {
    const { projection } = this;
    if (!projection || projection.size === this.#size) return;
    this.#size = projection.size;
    projection.renew();
    const { kernel, layout } = this.system;
    const channels = projection.seesMessages ? layout.receivers.length : 0;
    kernel.memory.calls.prepareSignatures(layout.nodes, channels);
  }
}

/** Runs the kernel to the end of the search, or to a limit; it returns to us from time to time. */
function* runKernel(
  calls: KernelExports,
  watch: Watch,
  progress: SearchListener['progress'],
): Resumable<{ readonly limit?: Limit; readonly isComplete: boolean }> {
  let reportedAt = performance.now();
  try {
    for (;;) {
      const result = calls.run();
      if (result === atStates) return { limit: 'states', isComplete: false };
      if (result === atDepth) return { limit: 'depth', isComplete: false };
      if (result !== goesOn) return { isComplete: result !== isEnded };
      watch.look();
      const before = performance.now();
      if (calls.expansions() % progressEvery === 0 || before > reportedAt + progressAfter) {
        progress(calls.size.value, calls.steps.value, calls.depth());
        reportedAt = before;
      }
      yield;
      watch.skip(performance.now() - before);
    }
  } catch (reached) {
    if (!(reached instanceof LimitReached)) throw reached;
    return { limit: reached.limit, isComplete: false };
  } finally {
    calls.flushEdges();
  }
}
