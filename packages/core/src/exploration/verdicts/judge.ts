import type { ConclaveError } from '../../base/error.js';
import { isOfRuns, type Verdict } from '../../protocol/property.js';
import type { Fairness } from '../explore/options.js';
import { LimitReached, type Watch } from '../search/limits/watch.js';
import type { Search, SearchListener } from '../search/traversal/search.js';
import type { Compiled } from '../search/traversal/system.js';
import { findBoundViolation, type Tally } from './properties/bound-violation.js';
import type { CompiledProperty, Evidence } from './properties/compiled-property.js';
import { requireTimeToDiverge } from './properties/diverging-time.js';
import { findDecrease, type Numbers } from './properties/increase.js';
import { LivenessViolations } from './properties/liveness-violation.js';
import { findOvertaking, type Overtaking } from './properties/overtaking.js';

export interface Judgement {
  readonly search: Search;
  readonly evidence: ReadonlyMap<CompiledProperty, Evidence>;
  readonly judged: (property: CompiledProperty) => Judged;
}

/** What is known of a property. */
export interface Judged {
  readonly verdict: Verdict;
  /**
   * Set if it holds because it could not fail, and the property declares that this may be so: its
   * reason.
   */
  readonly vacuous?: string;
  /**
   * Set if it holds because nothing that it looks at changes: that, in a clause, such as
   * `no state with the tag 'error' is entered`.
   */
  readonly remark?: string;
}

export interface JudgeOptions {
  readonly fairness: Fairness;
  readonly search: (graph: boolean, listener: SearchListener) => Search;
  /** Whether properties of runs are judged: not if the search leaves out steps. */
  readonly runs: boolean;
  /**
   * If they are not: whether what seems to violate one is a run of the system. Then it is violated;
   * without a violation it stays undecided.
   */
  readonly isReal?:
    | ((property: CompiledProperty, evidence: Evidence, search: Search) => boolean)
    | undefined;
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
  readonly deadlocks?: CompiledProperty;
  /**
   * If worlds represent others: one of those that `vector` represents and for which the property is
   * `value`; `vector` itself if that is true of all. Default: a world represents itself.
   */
  readonly decidingImage?:
    | ((vector: Int32Array, property: CompiledProperty, value: boolean) => Int32Array | undefined)
    | undefined;
  /** Whether the search is invalidated and has to be repeated. */
  readonly isInvalidated?: (() => boolean) | undefined;
  readonly onProgress?: ((states: number, transitions: number, depth: number) => void) | undefined;
  /** Limits that also apply to what is decided after the search. */
  readonly watch: Watch;
}

/** The memory for deciding a property of runs, in bytes a world: measured, rounded up. */
const bytesAWorld = 64;

/**
 * Searches a system and decides its properties. A property stays undecided if a limit ends its
 * check.
 */
export function judge(
  system: Compiled,
  properties: readonly CompiledProperty[],
  options: JudgeOptions,
): Judgement {
  const {
    fairness,
    runs,
    isReal,
    all,
    optional,
    faults,
    violatedBy,
    deadlocks,
    isInvalidated,
    onProgress,
    watch,
  } = options;
  const evidence = new Map<CompiledProperty, Evidence>();
  const ofRuns = properties.filter(isOfRuns);
  /**
   * The undecided properties of single worlds: an `always` is decided by a world where it is false,
   * the others by one where they are true.
   */
  let open = properties
    .filter((property) => !ofRuns.includes(property))
    .map((property) => ({ property, decides: property.kind !== 'always' }));
  const goesOn = () =>
    !isInvalidated?.() && (all || ![...evidence.keys()].some(({ kind }) => kind !== 'sometimes'));

  const deciding =
    options.decidingImage ??
    ((vector, property, value) => (property.holds(vector) === value ? vector : undefined));
  const decide = (
    property: CompiledProperty,
    value: boolean,
    world: number,
    vector: Int32Array,
  ) => {
    const image = deciding(vector, property, value);
    if (image) evidence.set(property, image === vector ? { world } : { world, image });
  };

  /** A world in which time stops: told only if no action fails, since that may be why. */
  let stopped: ConclaveError | undefined;
  const ofSteps =
    runs || !isReal ? [] : ofRuns.filter(({ violatedStepIn }) => violatedStepIn !== undefined);
  const wrongSteps = new Map<CompiledProperty, Evidence>();

  const found = options.search((runs || isReal !== undefined) && ofRuns.length > ofSteps.length, {
    found: (world, vector) => {
      for (const { property, decides } of open) decide(property, decides, world, vector);
      if (open.some(({ property }) => evidence.has(property)))
        open = open.filter(({ property }) => !evidence.has(property));
      return goesOn();
    },
    ended: (world, vector) => {
      if (system.time?.runs(vector)) stopped ??= system.time.stopped(vector);
      if (deadlocks && !evidence.has(deadlocks)) decide(deadlocks, false, world, vector);
      return goesOn();
    },
    fault: (world, action, error) => {
      const property = violatedBy(error);
      if (!evidence.has(property)) evidence.set(property, { world, fault: { action, error } });
      return goesOn();
    },
    expanded: (world, vector) => {
      for (const property of ofSteps) {
        const action = wrongSteps.has(property) ? undefined : property.violatedStepIn?.(vector);
        if (action !== undefined)
          wrongSteps.set(property, { world, action, image: vector.slice() });
      }
    },
    progress: (states, transitions, depth) => onProgress?.(states, transitions, depth),
  });

  const isFaulty = faults.some((property) => evidence.has(property));
  if (stopped && !isFaulty) throw stopped;
  // The search does not continue beyond an action that fails: properties that are not violated stay
  // undecided.
  const decidable = found.complete && !isFaulty;
  const undecided = new Set<CompiledProperty>();
  const liveness = new LivenessViolations(system, found, { fairness, optional });
  let { limit } = found;
  if (found.graph) found.graph.watch = watch;
  let isTimeChecked = !(decidable && found.graph && system.time);
  const looksForRuns = runs || (isReal !== undefined && !isInvalidated?.());
  for (const property of looksForRuns ? ofRuns : []) {
    try {
      if (!isTimeChecked && found.graph && system.time)
        requireTimeToDiverge(system.time, found.graph, found.store, system.width);
      isTimeChecked = true;
      if (!property.violatedStep) watch.require(bytesAWorld * found.store.size);
      const decided = refuted(property);
      if (decided && (runs || isReal?.(property, decided, found))) evidence.set(property, decided);
    } catch (reached) {
      if (!(reached instanceof LimitReached)) throw reached;
      if (!runs) continue; // it stays undecided in any case
      limit ??= reached.limit;
      undecided.add(property);
    }
  }
  if (found.graph) found.graph.watch = undefined;
  return {
    search: limit ? { ...found, limit } : found,
    evidence,
    judged: (property) => {
      const known =
        decidable &&
        !undecided.has(property) &&
        isJudged(property) &&
        property.tally?.seesAll !== false;
      if (property.kind === 'sometimes')
        return { verdict: evidence.has(property) ? 'reached' : known ? 'unreached' : 'incomplete' };
      if (evidence.has(property)) return { verdict: 'violated' };
      if (!known) return { verdict: 'incomplete' };
      const { isVacuous = false, remark } = property.scope?.(found.store) ?? {};
      if (property.vacuous !== undefined && (isVacuous || remark !== undefined))
        return { verdict: 'holds', vacuous: property.vacuous };
      if (isVacuous) return { verdict: 'vacuous' };
      return { verdict: 'holds', ...(remark === undefined ? {} : { remark }) };
    },
  };

  /** Whether a search without a violation decides it. */
  function isJudged(property: CompiledProperty): boolean {
    return runs || !ofRuns.includes(property);
  }

  /**
   * Violations of numbers, bounds, steps and overtaking are found in an incomplete search as well.
   */
  function refuted(property: CompiledProperty): Evidence | undefined {
    if (property.tally) return boundViolation(system, property.tally, found);
    if (property.numbers) return increaseViolation(system, property.numbers, found);
    if (property.violatedStep)
      return runs ? property.violatedStep(found.store) : wrongSteps.get(property);
    if (property.overtaking) return overtakingViolation(system, property.overtaking, found);
    return decidable ? liveness.find(property) : undefined;
  }
}

/** A run on which the numbers do not increase. */
function increaseViolation(
  { width }: Compiled,
  numbers: Numbers,
  { store, graph }: Search,
): Evidence | undefined {
  const onward = graph && findDecrease({ store, graph, width }, numbers);
  return onward && { world: 0, onward };
}

/** A run on which a node waits while another one enters too often. */
function overtakingViolation(
  { width }: Compiled,
  overtaking: Overtaking,
  { store, graph }: Search,
): Evidence | undefined {
  const onward = graph && findOvertaking({ store, graph, width }, overtaking);
  return onward && { world: 0, onward };
}

/** A run that exceeds a bound on messages. */
function boundViolation(
  { width }: Compiled,
  tally: Tally,
  { store, graph }: Search,
): Evidence | undefined {
  return graph && findBoundViolation({ store, graph, width }, tally);
}
