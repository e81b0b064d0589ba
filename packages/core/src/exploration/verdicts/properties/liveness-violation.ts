import type { Search } from '../../search/traversal/search.js';
import type { System } from '../../search/traversal/system.js';
import { Answers } from './answers.js';
import type { CompiledProperty, Evidence, Instance } from './compiled-property.js';
import { divergingTime } from './diverging-time.js';
import type { Fairness } from './liveness.js';
import { type FairRun, FairRuns } from './liveness.js';
import { findUnanswered, type NodeInstance } from './pending.js';

/** How liveness properties are judged. */
export interface LivenessOptions {
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
export class LivenessViolations {
  readonly #known = new Map<KindOfRuns, FairRuns>();

  constructor(
    private readonly system: System,
    private readonly search: Search,
    private readonly options: LivenessOptions,
  ) {}

  /** A fair run that violates `property`, and where it begins. */
  find(property: CompiledProperty): Evidence | undefined {
    const { kind } = property;
    if (kind === 'eventually' || kind === 'almostSurely') return this.#eventually(property, kind);
    let shortest: Evidence | undefined;
    let length = Infinity;
    for (const instance of this.#suspects(property.instances ?? [])) {
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

  #eventually(
    { holds }: CompiledProperty,
    kind: 'eventually' | 'almostSurely',
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
