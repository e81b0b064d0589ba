import type { ConclaveError } from '../../protocol/error.js';
import { isOfRuns, type Property, type Verdict } from '../../protocol/property.js';
import type { Compiled } from '../compiled/system.js';
import type { Fairness } from '../options.js';
import type { Search, SearchListener } from '../search/search.js';
import { pathTo, type Visited } from '../search/visited.js';
import { LimitReached, type Watch } from '../search/watch.js';
import { findBoundViolation, type Tally } from './bound-violation.js';
import { findDecrease, type NumbersOf } from './increase.js';
import { type FairRun, findFairRun } from './liveness.js';
import { findOvertaking, type Overtaking } from './overtaking.js';
import type { StepViolation } from './step-violation.js';
import type { IsVacuous } from './vacuity.js';

/** A property as the judge asks it: of vectors. */
export interface CompiledProperty {
  readonly name: string;
  readonly kind: Property['kind'];
  readonly holds: (vector: Int32Array) => boolean;
  /** `leadsTo`: what must follow, for each node (or whatever it is asked for) by itself. */
  readonly instances?: readonly Instance[];
  /** `atMost`: what it counts. */
  readonly tally?: Tally;
  /** `increases`: what the nodes have. */
  readonly numbers?: NumbersOf;
  /** `everyStep`: a step that is not allowed, if one was taken. */
  readonly violatedStep?: (store: Visited) => StepViolation | undefined;
  /** `overtaken`: who waits, who is inside. */
  readonly overtaking?: Overtaking;
  /** Whether it had nothing to look at; asked where all was looked at and nothing violates it. */
  readonly isVacuous?: IsVacuous;
  /** Why that is as it should be. */
  readonly vacuous?: string;
}

export interface Instance {
  readonly trigger: (vector: Int32Array) => boolean;
  readonly response: (vector: Int32Array) => boolean;
}

/** Where a claim was decided. */
export interface Evidence {
  /** The world that decides it, or where a run begins that does. */
  readonly world: number;
  /** The edges from `world` to where it is decided; none: there. */
  readonly onward?: readonly number[];
  /** The action in `world` that decides it. */
  readonly action?: number;
  /** The one that decides it of those for which `world` stands, unless any of them does. */
  readonly image?: Int32Array;
  /** An action that breaks the rules of the system in `world`. */
  readonly fault?: { readonly action: number; readonly error: ConclaveError };
  /** A run that goes on from `world` and never gets there. */
  readonly run?: FairRun;
}

export interface Judgement {
  readonly search: Search;
  readonly evidence: ReadonlyMap<CompiledProperty, Evidence>;
  readonly verdict: (claim: CompiledProperty) => Verdict;
}

export interface JudgeOptions {
  readonly fairness: Fairness;
  readonly search: (graph: boolean, listener: SearchListener) => Search;
  /** Whether runs are judged: not where the search leaves out steps, or forgets worlds. */
  readonly runs: boolean;
  /** Whether to go on after the first violation. */
  readonly all: boolean;
  /** Whether an action may be left undone for ever even where its class is fair, when asked for `leadsTo`. */
  readonly optional: (action: number) => boolean;
  /** The claim that a broken rule violates. */
  readonly unhandledMessages: CompiledProperty;
  /** The claim that a world without a next one violates, if its `holds` is false there. */
  readonly deadlocks?: CompiledProperty;
  /**
   * Where worlds stand for others: one of those for which `vector` stands such that `claim` is `value`; `vector` itself if any would do. Default: a
   * world stands for itself.
   */
  readonly decidingImage?: ((vector: Int32Array, claim: CompiledProperty, value: boolean) => Int32Array | undefined) | undefined;
  /** Whether all was in vain and the search may end. */
  readonly isInvalidated?: (() => boolean) | undefined;
  readonly onProgress?: ((states: number, transitions: number, depth: number) => void) | undefined;
  /** What is decided after the search keeps to its limits as well. */
  readonly watch: Watch;
}

/** What it takes to decide a claim about runs, in bytes a world: measured, rounded up. */
const bytesAWorld = 64;

/** Searches a system and decides the claims about it. A claim that a limit keeps from being decided stays open. */
export function judge(system: Compiled, claims: readonly CompiledProperty[], options: JudgeOptions): Judgement {
  const { fairness, runs, all, optional, unhandledMessages, deadlocks, isInvalidated, onProgress, watch } = options;
  const evidence = new Map<CompiledProperty, Evidence>();
  const ofRuns = claims.filter(isOfRuns);
  /** The claims about single worlds that are still open: one world decides an `always` by not holding, the others by holding. */
  let open = claims.filter((claim) => !ofRuns.includes(claim)).map((claim) => ({ claim, decides: claim.kind !== 'always' }));
  const goOn = () => !isInvalidated?.() && (all || ![...evidence.keys()].some(({ kind }) => kind !== 'sometimes'));

  const deciding = options.decidingImage ?? ((vector, claim, value) => (claim.holds(vector) === value ? vector : undefined));
  const decide = (claim: CompiledProperty, value: boolean, world: number, vector: Int32Array) => {
    const image = deciding(vector, claim, value);
    if (image) evidence.set(claim, image === vector ? { world } : { world, image });
  };

  const found = options.search(runs && ofRuns.length > 0, {
    found: (world, vector) => {
      for (const { claim, decides } of open) decide(claim, decides, world, vector);
      if (open.some(({ claim }) => evidence.has(claim))) open = open.filter(({ claim }) => !evidence.has(claim));
      return goOn();
    },
    ended: (world, vector) => {
      if (deadlocks && !evidence.has(deadlocks)) decide(deadlocks, false, world, vector);
      return goOn();
    },
    fault: (world, action, error) => {
      if (!evidence.has(unhandledMessages)) evidence.set(unhandledMessages, { world, fault: { action, error } });
      return goOn();
    },
    progress: (states, transitions, depth) => onProgress?.(states, transitions, depth),
  });

  // Nothing was looked at beyond a step that breaks the rules: what has not been refuted by then stays open.
  const decidable = found.complete && !evidence.has(unhandledMessages);
  const undecided = new Set<CompiledProperty>();
  let { limit } = found;
  if (found.graph) found.graph.watch = watch;
  for (const claim of runs ? ofRuns : []) {
    try {
      if (!claim.violatedStep) watch.require(bytesAWorld * found.store.bound);
      const decided = refuted(claim);
      if (decided) evidence.set(claim, decided);
    } catch (reached) {
      if (!(reached instanceof LimitReached)) throw reached;
      limit ??= reached.limit;
      undecided.add(claim);
    }
  }
  if (found.graph) found.graph.watch = undefined;
  return {
    search: limit ? { ...found, limit } : found,
    evidence,
    verdict: (claim) => {
      const known =
        claim === unhandledMessages
          ? found.complete
          : decidable && !undecided.has(claim) && (runs || !ofRuns.includes(claim)) && claim.tally?.seesAll !== false;
      if (claim.kind === 'sometimes') return evidence.has(claim) ? 'reached' : known ? 'unreached' : 'incomplete';
      if (evidence.has(claim)) return 'violated';
      if (!known) return 'incomplete';
      return claim.vacuous === undefined && claim.isVacuous?.(found.store) ? 'vacuous' : 'holds';
    },
  };

  /** Numbers, costs, steps and overtaking are refuted by what was seen, whatever was not. */
  function refuted(claim: CompiledProperty): Evidence | undefined {
    if (claim.tally) return boundViolation(system, claim.tally, found);
    if (claim.numbers) return increaseViolation(system, claim.numbers, found);
    if (claim.violatedStep) return claim.violatedStep(found.store);
    if (claim.overtaking) return overtakingViolation(system, claim.overtaking, found);
    return decidable ? findLivenessViolation(system, claim, found, fairness, optional) : undefined;
  }
}

/** A run on which numbers do not grow. */
function increaseViolation({ width }: Compiled, numbers: NumbersOf, { store, graph }: Search): Evidence | undefined {
  const onward = graph && findDecrease({ store, graph, width }, numbers);
  return onward && { world: 0, onward };
}

/** A run on which a node waits while another one enters too often. */
function overtakingViolation({ width }: Compiled, overtaking: Overtaking, { store, graph }: Search): Evidence | undefined {
  const onward = graph && findOvertaking({ store, graph, width }, overtaking);
  return onward && { world: 0, onward };
}

/** A run on which a claim about cost comes to be false. */
function boundViolation({ width }: Compiled, tally: Tally, { store, graph }: Search): Evidence | undefined {
  return graph && findBoundViolation({ store, graph, width }, tally);
}

/** A fair run on which a claim of liveness never comes true. */
function findLivenessViolation(
  system: Compiled,
  claim: CompiledProperty,
  { store, graph, starts = 1 }: Search,
  fairness: Fairness,
  optional: (action: number) => boolean,
): Evidence | undefined {
  if (!graph) return undefined;
  const vector = new Int32Array(system.width);
  const among = (holds: (vector: Int32Array) => boolean): Uint8Array => {
    const bits = new Uint8Array(store.bound);
    for (let world = 0; world < store.bound; world++) {
      if (!store.has(world)) continue;
      graph.watch?.tick();
      store.read(world, vector);
      if (holds(vector)) bits[world] = 1;
    }
    return bits;
  };
  if (claim.kind === 'eventually') {
    const inside = among((vector) => !claim.holds(vector));
    const run = findFairRun({
      graph,
      fairness,
      fairClass: (action) => system.fairness(action),
      inside: (world) => inside[world] === 1,
      from: Array.from({ length: starts }, (_, world) => world),
      starts,
    });
    return run && { world: run.start, run };
  }
  const fairClass = (action: number) => (optional(action) ? -1 : system.fairness(action));
  let shortest: Evidence | undefined;
  let length = Infinity;
  for (const { trigger, response } of claim.instances ?? []) {
    const inside = among((vector) => !response(vector));
    const from = among(trigger);
    const run = findFairRun({ graph, fairness, fairClass, inside: (world) => inside[world] === 1, from: indices(from), starts });
    const steps = run ? pathTo(store, run.start).actions.length + run.approach.length + run.edges.length : Infinity;
    if (!run || steps >= length) continue;
    shortest = { world: run.start, run };
    length = steps;
  }
  return shortest;
}

function* indices(bits: Uint8Array): Generator<number> {
  for (let index = 0; index < bits.length; index++) if (bits[index] === 1) yield index;
}
