/**
 * Searches a system once and decides all of its properties: those of single worlds while it
 * searches, those of runs on the graph afterwards.
 */

import { isOfStates } from '@conclave/core/internal';
import type { ConclaveError } from '@conclave/core/protocol';
import { asOneStep, type Resumable, runToEnd } from '../base/resumable.js';
import { type Limit, LimitReached, type Watch } from '../search/limits/limits.js';
import type { Search, SearchListener, System } from '../search/traversal/search.js';
import type {
  CompiledProperty,
  Evidence,
  RunProperty,
  StateProperty,
} from './properties/compiled-property.js';
import { type Fairness, requireTimeToDiverge } from './properties/liveness.js';
import { LivenessViolations } from './properties/liveness-violation.js';
import type { Judged } from './property-finding.js';

export interface Judgement {
  readonly search: Search;
  readonly evidence: ReadonlyMap<CompiledProperty, Evidence>;
  /** More evidence, where more counterexamples than one are wanted. */
  readonly others: ReadonlyMap<CompiledProperty, readonly Evidence[]>;
  readonly judged: (property: CompiledProperty) => Judged;
}

/** @typeParam S a search, or a resumable one */
export interface JudgeOptions<S> {
  readonly fairness: Fairness;
  readonly search: (graph: boolean, listener: SearchListener) => S;
  /** Whether to continue after the first violation. */
  readonly all: boolean;
  /**
   * Whether `leadsTo` treats an action as unfair although it has a fairness class: an optional
   * command.
   */
  readonly optional: (action: number) => boolean;
  /** The properties that an action that fails violates, and which of them an error does. */
  readonly faults: readonly CompiledProperty[];
  readonly violatedBy: (error: ConclaveError) => CompiledProperty;
  /** The property that a world without successors violates, if its `holds` is false there. */
  readonly deadlocks?: StateProperty | undefined;
  readonly onProgress?:
    | ((
        states: number,
        transitions: number,
        depth: number,
        decided: readonly CompiledProperty[],
      ) => void)
    | undefined;
  /** How many counterexamples to a property of single worlds are wanted; what tells their ends apart. */
  readonly counterexamples?: {
    readonly most: number;
    readonly endOf: (vector: Int32Array) => string;
  };
  /** Limits that also apply to what is decided after the search. */
  readonly watch: Watch;
}

/** The memory for deciding a property of runs, in bytes a world: measured, rounded up. */
const bytesAWorld = 64;

/**
 * Searches a system and decides its properties. A property stays undecided if a limit ends its
 * check.
 */
export const judge = (
  system: System,
  properties: readonly CompiledProperty[],
  { search, ...options }: JudgeOptions<Search>,
): Judgement =>
  runToEnd(
    judgeResumably(system, properties, {
      ...options,
      search: (...given) => asOneStep(() => search(...given)),
    }),
  );

/** The same where the search is resumable. */
export const judgeResumably = (
  system: System,
  properties: readonly CompiledProperty[],
  options: JudgeOptions<Resumable<Search>>,
): Resumable<Judgement> => new Judge(system, properties, options).judgement();

class Judge {
  readonly #evidence = new Map<CompiledProperty, Evidence>();
  readonly #others = new Map<CompiledProperty, readonly Evidence[]>();
  /** By property: how its counterexamples end. */
  readonly #ends = new Map<CompiledProperty, Set<string>>();
  /**
   * The undecided properties of single worlds: an `always` is decided by a world where it is false,
   * the others by one where they are true.
   */
  #open: readonly { readonly property: StateProperty; readonly decides: boolean }[];
  readonly #ofRuns: readonly RunProperty[];
  /** Properties of runs whose check a limit has ended. */
  readonly #unfinished = new Set<CompiledProperty>();
  /** A world in which time stops: told only if no action fails, since that may be why. */
  #stopped: ConclaveError | undefined;

  constructor(
    private readonly system: System,
    properties: readonly CompiledProperty[],
    private readonly options: JudgeOptions<Resumable<Search>>,
  ) {
    this.#ofRuns = properties.filter((property) => !isOfStates(property));
    this.#open = properties
      .filter(isOfStates)
      .map((property) => ({ property, decides: property.kind !== 'always' }));
  }

  *judgement(): Resumable<Judgement> {
    const { faults, watch } = this.options;
    const search = yield* this.options.search(this.#ofRuns.length > 0, this.#listener());
    const isFaulty = faults.some((property) => this.#evidence.has(property));
    if (this.#stopped && !isFaulty) throw this.#stopped;
    // The search does not continue beyond an action that fails: properties that are not violated
    // stay undecided.
    const isDecided = search.complete && !isFaulty;
    if (search.graph) search.graph.watch = watch;
    const limit = this.#judgeRuns(search, isDecided);
    if (search.graph) search.graph.watch = undefined;
    return {
      search: limit ? { ...search, limit } : search,
      evidence: this.#evidence,
      others: this.#others,
      judged: (property) => this.#judged(property, search, isDecided),
    };
  }

  #listener(): SearchListener {
    const { system, options } = this;
    const { deadlocks, violatedBy, onProgress } = options;
    const evidence = this.#evidence;
    return {
      found: (world, vector) => {
        for (const { property, decides } of this.#open)
          this.#decide(property, decides, world, vector);
        if (this.#open.some(({ property }) => this.#isSettled(property)))
          this.#open = this.#open.filter(({ property }) => !this.#isSettled(property));
        return this.#goesOn();
      },
      ended: (world, vector) => {
        if (system.time?.runs(vector)) this.#stopped ??= system.time.stopped(vector);
        if (deadlocks && !this.#isSettled(deadlocks)) this.#decide(deadlocks, false, world, vector);
        return this.#goesOn();
      },
      fault: (world, action, error) => {
        const property = violatedBy(error);
        if (!this.#isSettled(property))
          this.#note(property, { world, fault: { action, error } }, () => error.message);
        return this.#goesOn();
      },
      progress: (...figures) => onProgress?.(...figures, [...evidence.keys()]),
    };
  }

  #goesOn(): boolean {
    return this.options.all || ![...this.#evidence.keys()].some(({ kind }) => kind !== 'sometimes');
  }

  #decide(property: StateProperty, value: boolean, world: number, vector: Int32Array): void {
    if (property.holds(vector) === value)
      this.#note(property, { world }, () => this.options.counterexamples?.endOf(vector) ?? '');
  }

  /** Whether no more evidence is wanted. */
  #isSettled(property: CompiledProperty): boolean {
    if (!this.#evidence.has(property)) return false;
    const { most = 1 } = this.options.counterexamples ?? {};
    return property.kind === 'sometimes' || (this.#ends.get(property)?.size ?? 0) >= most;
  }

  /** Notes the evidence, unless it ends as some that is known. */
  #note(property: CompiledProperty, evidence: Evidence, endOf: () => string): void {
    const ends = this.#ends.get(property) ?? new Set();
    if (ends.size === ends.add(endOf()).size) return;
    this.#ends.set(property, ends);
    if (!this.#evidence.has(property)) this.#evidence.set(property, evidence);
    else this.#others.set(property, [...(this.#others.get(property) ?? []), evidence]);
  }

  /** Judges the properties of runs; the limit that has ended one of them, or the search. */
  #judgeRuns(search: Search, isDecided: boolean): Limit | undefined {
    const { system, options } = this;
    const { fairness, optional } = options;
    const { graph, store } = search;
    const liveness = isDecided && new LivenessViolations(system, search, { fairness, optional });
    let { limit } = search;
    let isTimeChecked = !isDecided;
    for (const property of this.#ofRuns) {
      try {
        if (!isTimeChecked && graph && system.time)
          requireTimeToDiverge(system.time, graph, store, system.width);
        isTimeChecked = true;
        this.#judgeRun(property, search, liveness || undefined);
      } catch (reached) {
        if (!(reached instanceof LimitReached)) throw reached;
        limit ??= reached.limit;
        this.#unfinished.add(property);
      }
    }
    return limit;
  }

  /** A violation of a bound or of a step is found in an incomplete search as well. */
  #judgeRun(
    property: RunProperty,
    { store, graph }: Search,
    liveness: LivenessViolations | undefined,
  ): void {
    if (!property.wrongStepIn) this.options.watch.require(bytesAWorld * store.size);
    const explored = graph && { store, graph, width: this.system.width };
    const found = property.find({ store, explored, liveness });
    if (found) this.#evidence.set(property, found);
  }

  #judged(property: CompiledProperty, { store }: Search, isDecided: boolean): Judged {
    const isViolated = this.#evidence.has(property);
    const seesAll = isOfStates(property) || property.seesAll !== false;
    const isKnown = isDecided && !this.#unfinished.has(property) && seesAll;
    if (property.kind === 'sometimes')
      return { verdict: isViolated ? 'reached' : isKnown ? 'unreached' : 'incomplete' };
    if (isViolated) return { verdict: 'violated' };
    if (!isKnown) return { verdict: 'incomplete' };
    const { isVacuous = false, remark } = property.scope?.(store) ?? {};
    if (property.vacuous !== undefined && (isVacuous || remark !== undefined))
      return { verdict: 'holds', vacuous: property.vacuous };
    if (isVacuous) return { verdict: 'vacuous' };
    return { verdict: 'holds', ...(remark === undefined ? {} : { remark }) };
  }
}
