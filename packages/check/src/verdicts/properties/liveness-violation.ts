import type { KernelWorlds } from '../../search/kernel/kernel-store.js';
import type { Watch } from '../../search/limits/limits.js';
import type { Graph } from '../../search/traversal/graph.js';
import type { Search, System } from '../../search/traversal/search.js';
import { Agenda } from '../graphs/paths.js';
import type { Evidence, Instance, Liveness } from './compiled-property.js';
import { divergingTime, type Fairness, type FairRun, FairRuns } from './liveness.js';

/** How liveness properties are judged. */
interface LivenessOptions {
  readonly fairness: Fairness;
  /**
   * Whether `leadsTo` treats an action as unfair although it has a fairness class: an optional
   * command.
   */
  readonly optional: (action: number) => boolean;
}

/**
 * Finds fair runs that violate liveness properties, after a complete search. First it asks whether
 * there may be one, which takes little: most systems stop sooner or later, so that only their last
 * worlds matter.
 */
export class LivenessViolations implements Liveness {
  readonly #known = new Map<KindOfRuns, FairRuns>();

  constructor(
    private readonly system: System,
    private readonly search: Search,
    private readonly options: LivenessOptions,
  ) {}

  findUnanswered(instances: readonly Instance[]): Evidence | undefined {
    let shortest: Evidence | undefined;
    let length = Infinity;
    for (const instance of this.#suspects(instances)) {
      const run = this.#withoutResponse(instance);
      const steps = run
        ? this.search.store.pathTo(run.start).actions.length +
          run.approach.length +
          run.edges.length
        : Infinity;
      if (!run || steps >= length) continue;
      shortest = { world: run.start, run };
      length = steps;
    }
    return shortest;
  }

  findForever(
    kind: 'eventually' | 'almostSurely',
    holds: (vector: Int32Array) => boolean,
  ): Evidence | undefined {
    const runs = this.#runs(kind);
    const answers = this.#answers(holds);
    const inside = (world: number) => !answers.of(world);
    if (!runs?.canStay(inside)) return undefined;
    const run = runs.find(
      inside,
      Array.from({ length: this.search.starts ?? 1 }, (_, world) => world),
    );
    return run && { world: run.start, run };
  }

  /** The instances that may be violated, in their order. */
  #suspects(instances: readonly Instance[]): readonly Instance[] {
    const { graph, store } = this.search;
    const runs = this.#runs('leadsTo');
    if (!graph || !runs) return [];
    const ofNodes = instances.filter(isOfNode);
    if (ofNodes.length > 0) return findUnanswered(graph, store, this.system.width, ofNodes, runs);
    return instances.filter(({ response }) => {
      const answers = this.#answers(response);
      return runs.canStay((world) => !answers.of(world));
    });
  }

  /** A fair run on which a trigger has no response. */
  #withoutResponse({ trigger, response }: Instance): FairRun | undefined {
    const responses = this.#answers(response);
    const triggers = trigger && this.#answers(trigger);
    return this.#runs('leadsTo')?.find(
      (world) => !responses.of(world),
      this.#worlds((world) => !responses.of(world) && triggers?.of(world) !== false),
    );
  }

  #worlds(among: (world: number) => boolean): Int32Array {
    const { store, graph } = this.search;
    let count = 0;
    for (let world = 0; world < store.size; world++) {
      graph?.watch?.tick();
      if (among(world)) count++;
    }
    const found = new Int32Array(count);
    for (let world = 0, at = 0; at < count; world++) if (among(world)) found[at++] = world;
    return found;
  }

  #answers(holds: (vector: Int32Array) => boolean): Answers {
    return new Answers(
      this.search.store,
      new Int32Array(this.system.width),
      holds,
      this.search.graph?.watch,
    );
  }

  /** Whether the next action is drawn in a world. */
  #draws(): ((world: number) => boolean) | undefined {
    const { system } = this;
    const { store } = this.search;
    const vector = new Int32Array(system.width);
    return (world) => {
      store.read(world, vector);
      return system.draws?.(vector) ?? false;
    };
  }

  /** The fair runs of the graph. An `eventually` relies on optional commands as well. */
  #runs(kind: KindOfRuns): FairRuns | undefined {
    const { graph, store, starts = 1 } = this.search;
    const known = this.#known.get(kind);
    if (known || !graph) return known;
    const { system } = this;
    const { fairness, optional } = this.options;
    const runs = new FairRuns({
      graph,
      fairness,
      fairClass: (action) =>
        kind === 'leadsTo' && optional(action) ? -1 : system.fairness(action),
      starts,
      time: system.time && divergingTime(system.time, store, new Int32Array(system.width)),
      draws: kind === 'almostSurely' ? this.#draws() : undefined,
    });
    this.#known.set(kind, runs);
    return runs;
  }
}

/** What makes fair runs differ: see `LivenessViolations`. */
type KindOfRuns = 'eventually' | 'almostSurely' | 'leadsTo';

const isOfNode = (instance: Instance): instance is Instance & NodeInstance =>
  instance.slot !== undefined && instance.trigger !== undefined;

/** The time of a predicate, measured in table look-ups. */
const weight = 32;

/** A predicate of worlds, evaluated when first needed. */
class Answers {
  /** By world: 0 unknown, 1 true, 2 false. */
  readonly #known: Uint8Array;

  /** `vector` is overwritten by each evaluation. */
  constructor(
    private readonly store: KernelWorlds,
    private readonly vector: Int32Array,
    private readonly holds: (vector: Int32Array) => boolean,
    private readonly watch?: Watch,
  ) {
    this.#known = new Uint8Array(store.size);
  }

  of(world: number): boolean {
    const known = this.#known[world] as number;
    if (known !== 0) return known === 1;
    this.watch?.tick(weight);
    this.store.read(world, this.vector);
    const holds = this.holds(this.vector);
    this.#known[world] = holds ? 1 : 2;
    return holds;
  }
}

/** Trigger and response of one node: functions of one number of the vector. */
interface NodeInstance {
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
function findUnanswered<I extends NodeInstance>(
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
