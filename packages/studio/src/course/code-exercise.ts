/** Exercises in which students write code: data, so that a teacher adds some of another file. */
import type { Setup } from '../link/link.js';

/** A system on which a submission is explored. */
export interface GradedSystem {
  readonly topology: string;
  readonly budget?: Setup['budget'];
}

export interface CodeExercise {
  /**
   * `mend`: a chart with one mistake becomes right. `write`: the rules of some states are missing.
   * `say`: properties tell the protocol from mutants of it.
   */
  readonly kind: 'mend' | 'write' | 'say';
  /** Also the name of the student's file. */
  readonly name: string;
  /** The lab that it belongs to. */
  readonly lab: number;
  /** In the catalogue, by its name. */
  readonly protocol: string;
  readonly role: string;
  readonly goal: string;
  readonly minutes: number;
  /** Each says more than the one before. */
  readonly hints: readonly string[];
  /** The ids of mutants of the protocol. `mend`: the one to mend. `say`: those to be noticed. */
  readonly mutants?: readonly string[];
  /** `say`: mutants that are right in another way. The properties must be true of them, too. */
  readonly alsoRight?: readonly string[];
  /** `write`: the states whose rules are missing, such as `passive.asleep`. */
  readonly holes?: readonly string[];
  /** Hidden from the students, the smallest first. */
  readonly systems: readonly GradedSystem[];
}

/** A part of an exercise, which is worth a point. */
export interface Part {
  readonly name: string;
  readonly passed: boolean;
  /** Why not: with the run that shows it, and its link behind `#`. */
  readonly feedback?: string;
  readonly link?: string;
}

/** How many points there are for it. */
export const pointsOf = ({ kind, mutants = [], systems }: CodeExercise): number =>
  kind === 'say' ? mutants.length : systems.length;
