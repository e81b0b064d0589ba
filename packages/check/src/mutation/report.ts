import type { Protocol } from '@conclave/core/protocol';
import type { Exploration } from '../verdicts/exploration.js';
import type { Budget } from '../worlds/budget.js';
import { allOperators, type Operator, operators } from './operators.js';

/** How strong the properties of a protocol are. */
export interface MutationReport {
  readonly protocol: string;
  readonly title: string;
  /** The systems, with the states of the protocol itself. */
  readonly systems: readonly { readonly name: string; readonly states: number }[];
  /** Systems with more states than the limit, and those for which there was no time. */
  readonly leftOut: readonly string[];
  /**
   * Larger systems through which walks went for the mutants that these leave open, such as
   * `complete:4, crashes 2, 500 walks of 300 steps`; and how many steps the walks of the protocol
   * itself took.
   */
  readonly walks: readonly { readonly name: string; readonly steps: number }[];
  /** The limit that left some mutants unjudged. */
  readonly limit?: NonNullable<Exploration['limit']>;
  /**
   * Killed of all that are neither equivalent nor rejected, from 0 to 1; 1 where there are none.
   */
  readonly score: number;
  /**
   * What became of the mutants.
   *
   * - `killed`: a property is violated, no longer reached, vacuous, looks at nothing that changes,
   *   or looks for a tag that no state has; or the machine fails. In walks: it is violated.
   * - `unhandled`: killed by a message that no state handles.
   * - `rejected`: refused by the checks of `defineProtocol`, with any properties.
   * - `survived`: passes on every system, and differs from the original on at least one.
   * - `unreached`: survives because no system, and no walk, reaches the change.
   * - `equivalent`: bisimilar to the original on every system.
   * - `inconclusive`: no property is violated within the limit.
   */
  readonly counts: Readonly<
    Record<
      | 'killed'
      | 'unhandled'
      | 'rejected'
      | 'survived'
      | 'unreached'
      | 'equivalent'
      | 'inconclusive',
      number
    >
  >;
  readonly operators: readonly {
    readonly operator: Operator;
    readonly counts: MutationReport['counts'];
  }[];
  /** In the order of the machine's states and transitions. */
  readonly mutants: readonly {
    /** Readable, stable between runs, unique within the protocol. */
    readonly id: string;
    readonly operator: Operator;
    /** The role whose machine is changed; undefined for a mutant of the channels. */
    readonly role: string | undefined;
    /** The state by its path; undefined for a mutant of the channels. */
    readonly state: string | undefined;
    /** `request`, `after 500 ms`, `always`; undefined where it concerns no event. */
    readonly event: string | undefined;
    /** The line of the statechart, or of the assumptions, that is changed. */
    readonly before: string;
    readonly after: string;
    readonly fate: keyof MutationReport['counts'];
    /** The property that kills it; for one that is rejected or fails, the error. */
    readonly by?: string;
    /** The system on which it is killed, or inconclusive; one of `walks`: by a walk. */
    readonly system?: string;
    /** The number of lines of the run that kills it. */
    readonly steps?: number;
    readonly limit?: NonNullable<Exploration['limit']>;
    /** Of a survivor: a shortest run on which it differs. */
    readonly difference?: {
      /** The system, such as `complete:2, commands 1`. */
      readonly system: string;
      /**
       * The lines of both; those of the original alone after `-`, those of the mutant alone after
       * `+`.
       */
      readonly run: readonly string[];
      /** What differs then, in words. */
      readonly differs: string;
    };
  }[];
  /** Changes when the mutants, the properties or the systems have changed. */
  readonly fingerprint: string;
  readonly seconds: number;
}

/** A mutant and what became of it. */
export type MutantFinding = MutationReport['mutants'][number];
type Counts = MutationReport['counts'];
type Fate = keyof Counts;

const fates: readonly Fate[] = [
  'killed',
  'unhandled',
  'rejected',
  'equivalent',
  'unreached',
  'survived',
  'inconclusive',
];

export const countsOf = (findings: readonly Pick<MutantFinding, 'fate'>[]): Counts => {
  const count = (fate: Fate) => findings.filter((finding) => finding.fate === fate).length;
  // each fate has its number
  return Object.fromEntries(fates.map((fate) => [fate, count(fate)])) as Record<Fate, number>;
};

/** Killed of all that are neither equivalent nor rejected. */
function scoreOf({ killed, unhandled, survived, unreached, inconclusive }: Counts): number {
  const all = killed + unhandled + survived + unreached + inconclusive;
  return all === 0 ? 1 : (killed + unhandled) / all;
}

const byOperator = (findings: readonly MutantFinding[]): MutationReport['operators'] =>
  allOperators.flatMap((operator) => {
    const own = findings.filter((finding) => finding.operator === operator);
    return own.length === 0 ? [] : [{ operator, counts: countsOf(own) }];
  });

/** What a report says of these mutants. */
export function figuresOf(
  mutants: readonly MutantFinding[],
): Pick<MutationReport, 'score' | 'counts' | 'operators' | 'mutants'> {
  const counts = countsOf(mutants);
  return { score: scoreOf(counts), counts, operators: byOperator(mutants), mutants };
}

/** The report of all mutants from those of all parts, in their order; undefined without any. */
export function mergedReport(parts: readonly MutationReport[]): MutationReport | undefined {
  const [first] = parts;
  if (!first) return undefined;
  const mutants = first.mutants.flatMap((_, row) =>
    parts.flatMap((part) => part.mutants[row] ?? []),
  );
  const seconds = parts.reduce((sum, part) => sum + part.seconds, 0);
  return { ...first, ...figuresOf(mutants), seconds };
}

/**
 * The mutants of a report that pass although they differ, by the question that no property answers,
 * such as `An event may be swallowed`. In the order of the operators; `fate`: of the mutants that survived, or of
 * those that no system reaches.
 */
export const openQuestions = (
  { mutants }: Pick<MutationReport, 'mutants'>,
  fate: keyof MutationReport['counts'] = 'survived',
): readonly {
  readonly operator: Operator;
  readonly question: string;
  readonly cure: string;
  readonly mutants: MutationReport['mutants'];
}[] =>
  allOperators.flatMap((operator) => {
    const open = mutants.filter((mutant) => mutant.operator === operator && mutant.fate === fate);
    return open.length === 0 ? [] : [{ operator, ...operators[operator], mutants: open }];
  });

/** A protocol with one change. */
export interface Mutant
  extends Pick<MutantFinding, 'id' | 'operator' | 'role' | 'state' | 'event' | 'before' | 'after'> {
  /** Added to the budget of the exploration: a loss that the original rules out. */
  readonly budget: Budget;
  /** Where a run must pass for the mutant to differ; undefined: anywhere. */
  readonly site:
    | {
        readonly role: string;
        readonly path: readonly string[];
        /** What must happen there: its guard is evaluated, it is taken, or the state is entered. */
        readonly by: 'asking' | 'taking' | 'entering';
        /** Where the state keeps the candidate: by event, by delay, or without either. */
        readonly slot?: {
          readonly kind: 'on' | 'after' | 'always' | 'onDone';
          /** The event or the delay. */
          readonly key: string;
        };
        /** Which candidate of the slot; undefined: any. */
        readonly index?: number;
      }
    | undefined;
  /**
   * The changed protocol, created on first use. It has not passed the checks of `defineProtocol`.
   */
  readonly protocol: Protocol;
}

/** Where a mutant differs from the original. */
export type Site = NonNullable<Mutant['site']>;
export type Slot = NonNullable<Site['slot']>;
