import { ConclaveError } from '../protocol/error.js';
import type { CompiledWorlds } from './compiled/compiled.js';
import type { Compiled } from './compiled/system.js';
import type { ExploreOptions } from './explore.js';
import { OrderReduction } from './reductions/order-reduction.js';
import { Quotient } from './reductions/quotient.js';
import { Reads } from './reductions/reads.js';
import { searchInParallel } from './search/parallel/search.js';
import { search } from './search/search.js';
import { Claims } from './verdicts/claims.js';
import { type Judgement, judge } from './verdicts/judge.js';

/** How a system is searched: what is left out, in which order, by how many threads; and what can be judged then. */
export class Strategy {
  readonly claims: Claims;
  /** In place of the worlds, if equivalent ones are taken for the same. */
  readonly quotient: Quotient | undefined;
  readonly #reduction: OrderReduction | undefined;
  readonly #system: Compiled;

  /** @throws {ConclaveError} `bad-input` for options that do not go together. */
  constructor(
    private readonly compiled: CompiledWorlds,
    private readonly options: ExploreOptions,
  ) {
    const { protocol } = compiled.worlds;
    const { properties = protocol.properties, reduce, normalise, coverage } = options;
    const symmetry = reduce === 'symmetry' || (reduce === 'all' && protocol.symmetry !== undefined);
    const reads = reduce === 'order' || reduce === 'all' ? new Reads() : undefined;
    this.claims = new Claims(compiled, properties, reads);
    this.#reduction = reads && new OrderReduction(compiled, reads, !symmetry && !normalise && !coverage);
    const inner = this.#reduction ?? compiled;
    const claims = [...this.claims.own, ...(this.claims.rest ? [this.claims.rest] : [])];
    this.quotient = symmetry || normalise ? new Quotient(compiled, inner, { symmetry, normalise, claims }) : undefined;
    this.#system = this.quotient ?? inner;
    this.#check();
  }

  /** Whether the way to each world is a shortest one. */
  get goesShortestWays(): boolean {
    return this.options.search !== 'depth' && !this.#reduction;
  }

  judge(): Judgement {
    const { fairness = 'weak', limits = {}, search: order = 'breadth', visited: memory = 'exact', workers = 1, all = true } = this.options;
    const reduction = this.#reduction;
    let spent = 0; // by searches that have to be done again
    const judged = (): Judgement => {
      const left = { ...limits, seconds: (limits.seconds ?? Infinity) - spent };
      const judgement = judge(this.#system, this.claims.own, {
        fairness,
        search: (graph, listener) =>
          workers > 1
            ? searchInParallel(this.compiled, workers, { limits: left, graph }, listener)
            : search(this.#system, { limits: left, order, memory, graph }, listener),
        runs: memory === 'exact' && this.#system === this.compiled,
        all,
        optional: (action) => this.compiled.isWish(action),
        rules: this.claims.rules,
        ...(this.claims.rest ? { rest: this.claims.rest } : {}),
        vain: reduction && (() => reduction.isVain),
        onProgress: this.options.onProgress,
      });
      spent += judgement.search.seconds;
      return { ...judgement, search: { ...judgement.search, seconds: spent } };
    };
    return reduction ? reduction.settle(judged) : judged();
  }

  #check(): void {
    const { search: order, visited: memory, workers = 1 } = this.options;
    if (memory === 'compact' && order === 'depth')
      throw new ConclaveError('bad-input', 'A compact search goes breadth-first only', "Leave out search: 'depth', or visited: 'compact'.");
    if (!Number.isInteger(workers) || workers < 1)
      throw new ConclaveError('bad-input', `${workers} is no number of workers`, 'Give a whole number, 1 or more.');
    if (workers === 1) return;
    if (memory === 'compact' || order === 'depth')
      throw new ConclaveError(
        'bad-input',
        'Several workers search breadth-first and exactly',
        "Leave out search: 'depth' and visited: 'compact', or the workers.",
      );
    if (this.#system !== this.compiled)
      throw new ConclaveError('bad-input', 'Several workers search without reductions', 'Leave out reduce and normalise, or the workers.');
  }
}
