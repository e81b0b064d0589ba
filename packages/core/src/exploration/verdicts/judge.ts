import type { ConclaveError } from '../../protocol/error.js';
import { isOfRuns, type Property, type Verdict } from '../../protocol/property.js';
import type { Compiled } from '../compiled/system.js';
import type { Search, SearchListener } from '../search/search.js';
import { pathTo, type Visited } from '../search/visited.js';
import { findExcess, type Tally } from './cost.js';
import { findDecrease, type NumbersOf } from './increase.js';
import { type Fairness, type FairRun, findFairRun } from './liveness.js';
import { findOvertaking, type Overtaking } from './overtaking.js';
import type { StepViolation } from './step-violation.js';
import type { IsVacuous } from './vacuity.js';

/** A property as the judge asks it: of vectors. */
export interface Claim {
  readonly name: string;
  readonly kind: Property['kind'];
  readonly holds: (vector: Int32Array) => boolean;
  /** `leadsTo`: what must follow, for each node (or whatever it is asked for) by itself. */
  readonly cases?: readonly Case[];
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

export interface Case {
  readonly owes: (vector: Int32Array) => boolean;
  readonly paid: (vector: Int32Array) => boolean;
}

/** Where a claim was decided. */
export interface Evidence {
  /** The world that decides it, or where a run begins that does. */
  readonly world: number;
  /** The edges from `world` to where it is decided; none: there. */
  readonly onward?: readonly number[];
  /** The action in `world` that decides it. */
  readonly action?: number;
  /** An action that breaks the rules of the system in `world`. */
  readonly fault?: { readonly action: number; readonly error: ConclaveError };
  /** A run that goes on from `world` and never gets there. */
  readonly run?: FairRun;
}

export interface Judgement {
  readonly search: Search;
  readonly evidence: ReadonlyMap<Claim, Evidence>;
  readonly verdict: (claim: Claim) => Verdict;
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
  readonly rules: Claim;
  /** The claim that a world without a next one violates, if its `holds` is false there. */
  readonly rest?: Claim;
  /** Whether all was in vain and the search may end. */
  readonly vain?: (() => boolean) | undefined;
  readonly onProgress?: ((states: number, transitions: number, depth: number) => void) | undefined;
}

/** Searches a system and decides the claims about it. */
export function judge(system: Compiled, claims: readonly Claim[], options: JudgeOptions): Judgement {
  const { fairness, runs, all, optional, rules, rest, vain, onProgress } = options;
  const evidence = new Map<Claim, Evidence>();
  const ofRuns = claims.filter(isOfRuns);
  /** The claims about single worlds that are still open: one world decides an `always` by not holding, the others by holding. */
  let open = claims.filter((claim) => !ofRuns.includes(claim)).map((claim) => ({ claim, decides: claim.kind !== 'always' }));
  const goOn = () => !vain?.() && (all || ![...evidence.keys()].some(({ kind }) => kind !== 'sometimes'));

  const found = options.search(runs && ofRuns.length > 0, {
    found: (world, vector) => {
      for (const { claim, decides } of open) if (claim.holds(vector) === decides) evidence.set(claim, { world });
      if (open.some(({ claim }) => evidence.has(claim))) open = open.filter(({ claim }) => !evidence.has(claim));
      return goOn();
    },
    ended: (world, vector) => {
      if (rest && !evidence.has(rest) && !rest.holds(vector)) evidence.set(rest, { world });
      return goOn();
    },
    fault: (world, action, error) => {
      if (!evidence.has(rules)) evidence.set(rules, { world, fault: { action, error } });
      return goOn();
    },
    progress: (states, transitions, depth) => onProgress?.(states, transitions, depth),
  });

  // Nothing was looked at beyond a step that breaks the rules: what has not been refuted by then stays open.
  const decidable = found.complete && !evidence.has(rules);
  if (runs)
    for (const claim of ofRuns) {
      const decided = refuted(claim);
      if (decided) evidence.set(claim, decided);
    }
  return {
    search: found,
    evidence,
    verdict: (claim) => {
      const known = claim === rules ? found.complete : decidable && (runs || !ofRuns.includes(claim)) && claim.tally?.seesAll !== false;
      if (claim.kind === 'sometimes') return evidence.has(claim) ? 'reached' : known ? 'unreached' : 'incomplete';
      if (evidence.has(claim)) return 'violated';
      if (!known) return 'incomplete';
      return claim.vacuous === undefined && claim.isVacuous?.(found.store) ? 'vacuous' : 'holds';
    },
  };

  /** Numbers, costs, steps and overtaking are refuted by what was seen, whatever was not. */
  function refuted(claim: Claim): Evidence | undefined {
    if (claim.tally) return tooDear(system, claim.tally, found);
    if (claim.numbers) return notLarger(system, claim.numbers, found);
    if (claim.violatedStep) return claim.violatedStep(found.store);
    if (claim.overtaking) return enteredTooOften(system, claim.overtaking, found);
    return decidable ? neverGetsThere(system, claim, found, fairness, optional) : undefined;
  }
}

/** A run on which numbers do not grow. */
function notLarger({ width }: Compiled, numbers: NumbersOf, { store, graph }: Search): Evidence | undefined {
  const onward = graph && findDecrease({ store, graph, width }, numbers);
  return onward && { world: 0, onward };
}

/** A run on which a node waits while another one enters too often. */
function enteredTooOften({ width }: Compiled, overtaking: Overtaking, { store, graph }: Search): Evidence | undefined {
  const onward = graph && findOvertaking({ store, graph, width }, overtaking);
  return onward && { world: 0, onward };
}

/** A run on which a claim about cost comes to be false. */
function tooDear({ width }: Compiled, tally: Tally, { store, graph }: Search): Evidence | undefined {
  return graph && findExcess({ store, graph, width }, tally);
}

/** A fair run on which a claim of liveness never comes true. */
function neverGetsThere(
  system: Compiled,
  claim: Claim,
  { store, graph }: Search,
  fairness: Fairness,
  optional: (action: number) => boolean,
): Evidence | undefined {
  if (!graph) return undefined;
  const vector = new Int32Array(system.width);
  const among = (holds: (vector: Int32Array) => boolean): Uint8Array => {
    const bits = new Uint8Array(store.bound);
    for (let world = 0; world < store.bound; world++) {
      if (!store.has(world)) continue;
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
      from: [0],
    });
    return run && { world: run.start, run };
  }
  const fairClass = (action: number) => (optional(action) ? -1 : system.fairness(action));
  let shortest: Evidence | undefined;
  let length = Infinity;
  for (const { owes, paid } of claim.cases ?? []) {
    const inside = among((vector) => !paid(vector));
    const from = among(owes);
    const run = findFairRun({ graph, fairness, fairClass, inside: (world) => inside[world] === 1, from: indices(from) });
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
