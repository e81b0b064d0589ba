import { badInput } from '../../base/error.js';
import { atOnce, type Slices } from '../../base/slices.js';
import type { Property } from '../../protocol/property.js';
import type { Watch } from '../search/limits/watch.js';
import type { CompiledWorlds } from '../search/tables/compiled-worlds.js';
import { confirmSearch } from '../search/traversal/confirm-search.js';
import { slicedSearchByKernel } from '../search/traversal/kernel-search.js';
import { type Search, type SearchListener, search } from '../search/traversal/search.js';
import type { System } from '../search/traversal/system.js';
import { type Judgement, judgeInSlices } from '../verdicts/judge.js';
import { CompiledProperties } from '../verdicts/properties/compiled-properties.js';
import type { CompiledProperty, Evidence } from '../verdicts/properties/compiled-property.js';
import { OrderReduction } from '../verdicts/reductions/order-reduction.js';
import { Quotient } from '../verdicts/reductions/quotient.js';
import { Reads } from '../verdicts/reductions/reads.js';
import { RenamingSensitivity } from '../verdicts/reductions/renaming-sensitivity.js';
import { isRealViolation } from '../verdicts/witness/real-run.js';
import type { Searched } from '../verdicts/witness/witness.js';
import type { ExploreOptions } from './options.js';

/** A search with a reduction keeps no more edges: it is there to save memory and time. */
const mostReducedEdges = 500_000;

/**
 * How a system is searched (order, reductions), and which properties can be judged on the result.
 */
export class Strategy implements Searched {
  readonly properties: CompiledProperties;
  /** Set if equivalent worlds count as one. */
  readonly quotient: Quotient | undefined;
  readonly #declared: readonly Property[];
  readonly #reduction: OrderReduction | undefined;
  readonly #system: System;
  /**
   * Whether the search runs in WebAssembly: if it expands every world by tables only, and
   * breadth-first.
   */
  readonly #byKernel: boolean;

  /** @throws {ConclaveError} `bad-input` for options that do not go together. */
  constructor(
    readonly compiled: CompiledWorlds,
    private readonly options: ExploreOptions,
    private readonly watch: Watch,
  ) {
    const { protocol } = compiled.worlds;
    const { reduce, normalise, coverage, search: order = 'breadth' } = options;
    const symmetry = reduce === 'symmetry' || (reduce === 'all' && protocol.symmetry !== undefined);
    const reducesOrder = reduce === 'order' || reduce === 'all';
    const mergesWorlds = symmetry || normalise !== undefined;
    if (compiled.time && (reducesOrder || mergesWorlds))
      throw badInput(
        'In exact time there are no reductions',
        'Leave out reduce and normalise, or explore untimed.',
      );
    this.#declared = options.properties ?? protocol.properties;
    this.#byKernel = !reducesOrder && !mergesWorlds && order === 'breadth';
    const reads = reducesOrder || this.#byKernel ? new Reads() : undefined;
    const sensitivity = mergesWorlds ? new RenamingSensitivity() : undefined;
    this.properties = new CompiledProperties(compiled, this.#declared, reads, sensitivity);
    this.#reduction =
      reads && reducesOrder
        ? new OrderReduction(compiled, reads, !mergesWorlds && !coverage)
        : undefined;
    const inner = this.#reduction ?? compiled;
    const { declared, deadlocks } = this.properties;
    const properties = [...declared, ...(deadlocks ? [deadlocks] : [])];
    this.quotient =
      sensitivity &&
      new Quotient(compiled, inner, { symmetry, normalise, properties, sensitivity });
    this.#system = this.quotient ?? inner;
  }

  /** Whether the trace to each world is a shortest one. */
  get yieldsShortestTraces(): boolean {
    return this.options.search !== 'depth' && !this.#reduction;
  }

  judge(): Judgement {
    return atOnce(this.judgeInSlices());
  }

  /** The same in slices, where the kernel searches; elsewhere it is one. */
  *judgeInSlices(): Slices<Judgement> {
    const judgement = this.#reduction
      ? this.#reduction.settle(() => atOnce(this.#judgeOnce()))
      : yield* this.#judgeOnce();
    if (judgement.search.complete) this.quotient?.confirm();
    return judgement;
  }

  #judgeOnce(): Slices<Judgement> {
    const { compiled, properties, quotient, watch } = this;
    const { fairness = 'weak', all = true, onProgress } = this.options;
    const reduction = this.#reduction;
    const runs = this.#system === compiled;
    const searched = (graph: boolean, listener: SearchListener) => this.#search(graph, listener);
    return judgeInSlices(this.#system, properties.declared, {
      ...{ fairness, all, onProgress, watch, runs },
      *search(graph, listener) {
        return confirmSearch(yield* searched(graph, listener), () => compiled.confirm());
      },
      isReal: runs
        ? undefined
        : (property, evidence, search) => this.#isReal(property, evidence, search),
      optional: (action) => compiled.isOptional(action),
      faults: properties.faults,
      violatedBy: (error) => properties.violatedBy(error),
      deadlocks: properties.deadlocks,
      isInvalidated: reduction && (() => reduction.isInvalidated),
      decidingImage:
        quotient && ((vector, property, value) => quotient.decidingImage(vector, property, value)),
    });
  }

  *#search(graph: boolean, listener: SearchListener): Slices<Search> {
    const { compiled, watch } = this;
    const { limits = {}, search: order = 'breadth', workers: threads } = this.options;
    if (this.#byKernel)
      return yield* slicedSearchByKernel(
        compiled,
        { limits, watch, graph, ...(threads && { team: { threads } }) },
        listener,
        this.properties.seen,
      );
    // with a reduction, edges only help to find violations
    const mostEdges = this.#system === compiled ? Infinity : mostReducedEdges;
    return search(this.#system, { limits, watch, order, graph, mostEdges }, listener);
  }

  /** Whether what a search has found that leaves something out violates a property of runs. */
  #isReal(property: CompiledProperty, evidence: Evidence, search: Search): boolean {
    const { compiled, quotient } = this;
    const { fairness = 'weak' } = this.options;
    const declared = this.#declared[this.properties.declared.indexOf(property)];
    return (
      declared !== undefined &&
      isRealViolation(compiled, { property: declared, evidence, search, quotient, fairness })
    );
  }
}
