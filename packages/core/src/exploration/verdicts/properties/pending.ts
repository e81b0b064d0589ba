import type { KernelWorlds } from '../../search/kernel/kernel-worlds.js';
import type { Graph } from '../../search/traversal/graph.js';
import { Agenda } from '../graphs/agenda.js';
import type { FairRuns } from './liveness.js';

/** Trigger and response of one node: functions of one number of the vector. */
export interface NodeInstance {
  /** The place of that number. */
  readonly slot: number;
  readonly trigger: (vector: Int32Array) => boolean;
  readonly response: (vector: Int32Array) => boolean;
}

/** How many instances one pass follows: as many bits has half a mark. */
const mostAtOnce = 16;
const low = 0xffff;

/**
 * The instances of a `leadsTo` with a fair run on which a trigger has no response: all are followed
 * in one pass over the graph. An instance is pending in a world if some path to it has a trigger
 * without a response since. The search must be complete.
 */
export function findUnanswered<I extends NodeInstance>(
  graph: Graph,
  store: KernelWorlds,
  width: number,
  instances: readonly I[],
  runs: FairRuns,
): I[] {
  const found: I[] = [];
  for (let first = 0; first < instances.length; first += mostAtOnce) {
    const some = instances.slice(first, first + mostAtOnce);
    const bits = unansweredBits(pendingIn(graph, store, width, some), some.length, runs);
    found.push(...some.filter((_, index) => (bits >> index) & 1));
  }
  return found;
}

function unansweredBits(pending: Int32Array, instances: number, runs: FairRuns): number {
  let bits = 0;
  for (const world of runs.rests()) bits |= (pending[world] as number) & low;
  for (let index = 0; index < instances; index++) {
    if ((bits >> index) & 1) continue;
    if (runs.canLoop((world) => (((pending[world] as number) >> index) & 1) === 1))
      bits |= 1 << index;
  }
  return bits;
}

/**
 * By world: one bit for each instance that is pending; above them, one for each without a response
 * there.
 */
function pendingIn(
  graph: Graph,
  store: KernelWorlds,
  width: number,
  instances: readonly NodeInstance[],
): Int32Array {
  const { ranges, targets, worlds, watch } = graph;
  const vector = new Int32Array(width);
  const answers = instances.map((instance) => new SlotAnswers(instance));
  // where no instance is known to have a response, each may become pending
  const marks = new Int32Array(worlds).fill(low << 16);
  const again = new Agenda(worlds);
  /**
   * Makes instances pending in the successors of a world; `upTo`: the last world that has been
   * visited.
   */
  const spread = (world: number, upTo: number) => {
    const pending = (marks[world] as number) & low;
    if (pending === 0) return;
    const end = ranges[2 * world + 1] as number;
    for (let edge = ranges[2 * world] as number; edge < end; edge++) {
      const target = targets[edge] as number;
      const mark = marks[target] as number;
      const fresh = pending & (mark >>> 16) & ~mark;
      if (fresh === 0) continue;
      marks[target] = mark | fresh;
      if (target <= upTo) again.add(target);
    }
  };
  for (let world = 0; world < worlds; world++) {
    watch?.tick();
    store.read(world, vector);
    let codes = 0;
    for (let index = 0; index < answers.length; index++)
      codes |= (answers[index] as SlotAnswers).of(vector) << index;
    marks[world] =
      (codes & (low << 16)) | (((marks[world] as number) | codes) & (codes >>> 16) & low);
    spread(world, world);
  }
  for (let world = again.next(); world >= 0; world = again.next()) {
    watch?.tick();
    spread(world, worlds);
  }
  watch?.look();
  return marks;
}

/** Bits of {@link SlotAnswers.of}. */
const [triggered, open] = [1, 1 << 16];
const unknown = -1;

/** The answers of an instance, by the number in its slot. */
class SlotAnswers {
  #known = new Int32Array(256).fill(unknown);

  constructor(private readonly instance: NodeInstance) {}

  /** {@link open}: there is no response; {@link triggered}: and there is a trigger. */
  of(vector: Int32Array): number {
    const { slot } = this.instance;
    const number = vector[slot] as number;
    const known = number < this.#known.length ? (this.#known[number] as number) : unknown;
    if (known !== unknown) return known;
    const { response, trigger } = this.instance;
    const code = response(vector) ? 0 : open | (trigger(vector) ? triggered : 0);
    if (number >= this.#known.length) {
      const wider = new Int32Array(2 * number).fill(unknown);
      wider.set(this.#known);
      this.#known = wider;
    }
    this.#known[number] = code;
    return code;
  }
}
