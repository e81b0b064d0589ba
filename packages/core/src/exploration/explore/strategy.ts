import { atOnce, type Slices } from '../../base/slices.js';
import type { Watch } from '../search/limits/watch.js';
import type { CompiledWorlds } from '../search/tables/compiled-worlds.js';
import { confirmSearch } from '../search/traversal/confirm-search.js';
import { slicedSearchByKernel } from '../search/traversal/kernel-search.js';
import { type Search, type SearchListener, search } from '../search/traversal/search.js';
import { type Judgement, judgeInSlices } from '../verdicts/judge.js';
import { CompiledProperties } from '../verdicts/properties/compiled-properties.js';
import { Reads } from '../verdicts/properties/reads.js';
import type { Searched } from '../verdicts/witness/witness.js';
import type { ExploreOptions } from './options.js';

/** How a system is searched, and what is judged on the result. */
export class Strategy implements Searched {
  readonly properties: CompiledProperties;
  /** Whether the trace to each world is a shortest one: then the kernel searches. */
  readonly yieldsShortestTraces: boolean;

  constructor(
    readonly compiled: CompiledWorlds,
    private readonly options: ExploreOptions,
    private readonly watch: Watch,
  ) {
    this.yieldsShortestTraces = options.search !== 'depth';
    const declared = options.properties ?? compiled.worlds.protocol.properties;
    const reads = this.yieldsShortestTraces ? new Reads() : undefined;
    this.properties = new CompiledProperties(compiled, declared, reads);
  }

  judge(): Judgement {
    return atOnce(this.judgeInSlices());
  }

  /** The same in slices, where the kernel searches; elsewhere it is one. */
  judgeInSlices(): Slices<Judgement> {
    const { compiled, properties, watch } = this;
    const { fairness = 'weak', all = true, onProgress } = this.options;
    const searched = (graph: boolean, listener: SearchListener) => this.#search(graph, listener);
    return judgeInSlices(compiled, properties.declared, {
      ...{ fairness, all, onProgress, watch },
      *search(graph, listener) {
        return confirmSearch(yield* searched(graph, listener), () => compiled.confirm());
      },
      optional: (action) => compiled.isOptional(action),
      faults: properties.faults,
      violatedBy: (error) => properties.violatedBy(error),
      deadlocks: properties.deadlocks,
    });
  }

  *#search(graph: boolean, listener: SearchListener): Slices<Search> {
    const { compiled, watch } = this;
    const { limits = {}, search: order = 'breadth' } = this.options;
    if (!this.yieldsShortestTraces)
      return search(compiled, { limits, watch, order, graph }, listener);
    return yield* slicedSearchByKernel(
      compiled,
      { limits, watch, graph },
      listener,
      this.properties.seen,
    );
  }
}
