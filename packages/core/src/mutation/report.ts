import type { Limit } from '../exploration/search/limits.js';
import type { Difference } from './difference.js';
import type { Mutant } from './mutant.js';
import { allOperators, type Operator, operators } from './operators.js';

/**
 * What became of a mutant.
 *
 * - `killed`: a property is violated, or no longer reached, or vacuous, or asks for a tag that no state carries any more; or the machine fails.
 * - `unhandled`: killed by a message that nobody handles.
 * - `rejected`: refused by the checks of `defineProtocol`, whatever its properties.
 * - `survived`: passes on every system, and differs from the original on one.
 * - `unreached`: survives since no system comes by what it changes.
 * - `equivalent`: bisimilar to the original on every system.
 * - `inconclusive`: nothing is violated as far as the limit let it be explored.
 */
export type Fate = 'killed' | 'unhandled' | 'rejected' | 'survived' | 'unreached' | 'equivalent' | 'inconclusive';

export const fates: readonly Fate[] = ['killed', 'unhandled', 'rejected', 'equivalent', 'unreached', 'survived', 'inconclusive'];

/** A mutant and what became of it. */
export interface MutantFinding extends Pick<Mutant, 'id' | 'operator' | 'role' | 'state' | 'event' | 'before' | 'after'> {
  readonly fate: Fate;
  /** The property that kills it; for one that is rejected or fails, what is wrong. */
  readonly by?: string;
  /** The system on which it is killed, or inconclusive. */
  readonly system?: string;
  /** How many lines the run has that kills it. */
  readonly steps?: number;
  readonly limit?: Limit;
  /** Of a survivor: a shortest run on which it differs. */
  readonly difference?: Difference;
}

export type Counts = Readonly<Record<Fate, number>>;

/** How strong the properties of a protocol are. */
export interface MutationReport {
  readonly protocol: string;
  readonly title: string;
  /** The systems, with the states of the protocol itself. */
  readonly systems: readonly { readonly name: string; readonly states: number }[];
  /** Systems that have more states than the limit, and those for which there was no time. */
  readonly leftOut: readonly string[];
  /** What kept some mutants from being judged at all. */
  readonly limit?: Limit;
  /** Killed of all that are neither equivalent nor rejected, from 0 to 1; 1 where there are none. */
  readonly score: number;
  readonly counts: Counts;
  readonly operators: readonly { readonly operator: Operator; readonly counts: Counts }[];
  /** In the order of {@link mutantsOf}. */
  readonly mutants: readonly MutantFinding[];
  /** See {@link mutationFingerprint}. */
  readonly fingerprint: string;
  readonly seconds: number;
}

export const countsOf = (findings: readonly Pick<MutantFinding, 'fate'>[]): Counts => {
  const count = (fate: Fate) => findings.filter((finding) => finding.fate === fate).length;
  return Object.fromEntries(fates.map((fate) => [fate, count(fate)])) as Record<Fate, number>; // each fate has its number
};

/** Killed of all that are neither equivalent nor rejected. */
export function scoreOf({ killed, unhandled, survived, unreached, inconclusive }: Counts): number {
  const all = killed + unhandled + survived + unreached + inconclusive;
  return all === 0 ? 1 : (killed + unhandled) / all;
}

export const byOperator = (findings: readonly MutantFinding[]): MutationReport['operators'] =>
  allOperators.flatMap((operator) => {
    const own = findings.filter((finding) => finding.operator === operator);
    return own.length === 0 ? [] : [{ operator, counts: countsOf(own) }];
  });

/** The mutants of a report that pass although they differ, by the question that nobody asks of them. */
export interface OpenQuestion {
  readonly operator: Operator;
  /** Such as `An event may be swallowed`. */
  readonly question: string;
  readonly cure: string;
  readonly mutants: readonly MutantFinding[];
}

/** What nobody asks, in the order of the operators; `fate`: of those that survived, or of those that no system comes by. */
export const openQuestions = ({ mutants }: Pick<MutationReport, 'mutants'>, fate: Fate = 'survived'): readonly OpenQuestion[] =>
  allOperators.flatMap((operator) => {
    const open = mutants.filter((mutant) => mutant.operator === operator && mutant.fate === fate);
    return open.length === 0 ? [] : [{ operator, ...operators[operator], mutants: open }];
  });
