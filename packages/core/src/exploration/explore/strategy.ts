import { badInput } from '../../base/error.js';
import type { Watch } from '../search/limits/watch.js';
import type { CompiledWorlds } from '../search/tables/compiled-worlds.js';
import { confirmed } from '../search/traversal/confirmed.js';
import { searchByKernel } from '../search/traversal/kernel-search.js';
import { type Search, type SearchOptions, search } from '../search/traversal/search.js';
import type { Compiled } from '../search/traversal/system.js';
import { type Judgement, judge } from '../verdicts/judge.js';
import { CompiledProperties } from '../verdicts/properties/compiled-properties.js';
import type { CompiledProperty, Evidence } from '../verdicts/properties/compiled-property.js';
import { OrderReduction } from '../verdicts/reductions/order-reduction.js';
import { Quotient } from '../verdicts/reductions/quotient.js';
import { Reads } from '../verdicts/reductions/reads.js';
import { RenamingSensitivity } from '../verdicts/reductions/renaming-sensitivity.js';
import { isRealViolation } from '../verdicts/witness/real-run.js';
import type { ExploreOptions } from './options.js';

/** A search with a reduction keeps no more edges: it is there to save memory and time. */
const mostReducedEdges = 500_000;

/**
 * How a system is searched (order, reductions, threads), and which properties can be judged on the
 * result.
 */
export class Strategy {
  readonly compiledProperties: CompiledProperties;
  /** Set if equivalent worlds count as one. */
  readonly quotient: Quotient | undefined;
  readonly #reduction: OrderReduction | undefined;
  readonly #system: Compiled;
  /**
   * Whether the search runs in WebAssembly: if it expands every world by tables only, and
   * breadth-first.
   */
  readonly #byKernel: boolean;

  /** @throws {ConclaveError} `bad-input` for options that do not go together. */
  constructor(
    private readonly compiled: CompiledWorlds,
    private readonly options: ExploreOptions,
    private readonly watch: Watch,
  ) {
    const { protocol } = compiled.worlds;
    const { properties = protocol.properties, reduce, normalise, coverage } = options;
    const symmetry = reduce === 'symmetry' || (reduce === 'all' && protocol.symmetry !== undefined);
    const reducesOrder = reduce === 'order' || reduce === 'all';
    const { search: order = 'breadth' } = options;
    this.#byKernel = !reducesOrder && !symmetry && !normalise && order === 'breadth';
    const reads = reducesOrder || this.#byKernel ? new Reads() : undefined;
    const asked = symmetry || normalise ? new RenamingSensitivity() : undefined;
    this.compiledProperties = new CompiledProperties(compiled, properties, reads, asked);
    this.#reduction =
      reads && reducesOrder
        ? new OrderReduction(compiled, reads, !symmetry && !normalise && !coverage)
        : undefined;
    const inner = this.#reduction ?? compiled;
    const claims = [
      ...this.compiledProperties.own,
      ...(this.compiledProperties.deadlocks ? [this.compiledProperties.deadlocks] : []),
    ];
    this.quotient =
      asked &&
      new Quotient(compiled, inner, {
        symmetry,
        normalise,
        properties: claims,
        sensitivity: asked,
      });
    this.#system = this.quotient ?? inner;
    this.#check();
  }

  /** Whether the trace to each world is a shortest one. */
  get yieldsShortestTraces(): boolean {
    return this.options.search !== 'depth' && !this.#reduction;
  }

  judge(): Judgement {
    const { fairness = 'weak', limits = {}, all = true } = this.options;
    const runs = this.#system === this.compiled;
    const reduction = this.#reduction;
    const { quotient, watch } = this;
    const judged = (): Judgement =>
      judge(this.#system, this.compiledProperties.own, {
        fairness,
        search: (graph, listener) =>
          confirmed(
            this.#byKernel
              ? searchByKernel(
                  this.compiled,
                  { limits, watch, graph },
                  listener,
                  this.compiledProperties.seen,
                )
              : search(this.#system, this.#searchOptions(graph), listener),
            () => this.compiled.confirm(),
          ),
        runs,
        ...(runs
          ? {}
          : { isReal: (claim, evidence, found) => this.#isReal(claim, evidence, found) }),
        all,
        optional: (action) => this.compiled.isOptional(action),
        faults: this.compiledProperties.faults,
        violatedBy: (error) => this.compiledProperties.violatedBy(error),
        ...(this.compiledProperties.deadlocks
          ? { deadlocks: this.compiledProperties.deadlocks }
          : {}),
        isInvalidated: reduction && (() => reduction.isInvalidated),
        decidingImage:
          quotient && ((vector, claim, value) => quotient.decidingImage(vector, claim, value)),
        onProgress: this.options.onProgress,
        watch,
      });
    const judgement = reduction ? reduction.settle(judged) : judged();
    if (judgement.search.complete) quotient?.confirm();
    return judgement;
  }

  #searchOptions(graph: boolean): SearchOptions {
    const { limits = {}, search: order = 'breadth' } = this.options;
    // with a reduction, edges only help to find violations
    const mostEdges = this.#system === this.compiled ? Infinity : mostReducedEdges;
    return { limits, watch: this.watch, order, graph, mostEdges };
  }

  /** Whether what a search has found that leaves something out violates a property of runs. */
  #isReal(claim: CompiledProperty, evidence: Evidence, search: Search): boolean {
    const { compiled, quotient } = this;
    const { properties = compiled.worlds.protocol.properties, fairness = 'weak' } = this.options;
    const property = properties[this.compiledProperties.own.indexOf(claim)];
    return (
      property !== undefined &&
      isRealViolation(compiled, { property, evidence, search, quotient, fairness })
    );
  }

  #check(): void {
    if (this.compiled.time && this.#system !== this.compiled)
      throw badInput(
        'In exact time there are no reductions',
        'Leave out reduce and normalise, or explore untimed.',
      );
  }
}
