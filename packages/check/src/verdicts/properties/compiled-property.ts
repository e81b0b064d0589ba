import type { ConclaveError } from '@conclave/core/protocol';
import type { KernelWorlds } from '../../search/kernel/kernel-store.js';
import type { Numbers, Overtaking, Tally } from './bounds.js';
import type { FairRun } from './liveness.js';
import type { StepViolation } from './step-violation.js';

/**
 * A property as the judge evaluates it: on vectors of numbers, not on views of worlds. Its kind says
 * what decides it, so the compiler sees that a judge knows how to decide each kind.
 */
export type CompiledProperty = {
  readonly name: string;
  /**
   * What there was for it to look at; called after a complete search without a violation. Absent:
   * enough.
   */
  readonly scope?: (store: KernelWorlds) => Scope;
  /** Why a vacuous result is as intended. */
  readonly vacuous?: string;
} & (
  | { readonly kind: 'always' | 'never' | 'sometimes'; readonly holds: Predicate }
  | { readonly kind: 'eventually' | 'almostSurely'; readonly holds: Predicate }
  /** `leadsTo`: for each node by itself; `alwaysEventually`: of the system. */
  | { readonly kind: 'leadsTo' | 'alwaysEventually'; readonly instances: readonly Instance[] }
  | { readonly kind: 'atMost'; readonly tally: Tally }
  | { readonly kind: 'increases'; readonly numbers: Numbers }
  | {
      readonly kind: 'everyStep';
      /** A step that is not allowed, if there is one. */
      readonly violatedStep: (store: KernelWorlds) => StepViolation | undefined;
      /** An action of the world `vector` that is not allowed, if there is one. */
      readonly violatedStepIn: (vector: Int32Array) => number | undefined;
    }
  | { readonly kind: 'overtaken'; readonly overtaking: Overtaking }
);

export type CompiledOf<K extends CompiledProperty['kind']> = Extract<
  CompiledProperty,
  { readonly kind: K }
>;

/** One that single worlds decide. */
export type StateProperty = CompiledOf<'always' | 'never' | 'sometimes'>;

type Predicate = (vector: Int32Array) => boolean;

/** What a system offers a property that holds. */
export interface Scope {
  /** Whether nothing in the system can make the property true or false. */
  readonly isVacuous: boolean;
  /** Why it could not fail, although it looks at the system: a clause. */
  readonly remark?: string;
}

/** So many clauses are told. */
const mostTold = 3;

/** The remark on a property that looks at nothing that changes. */
export function unchangingText(still: readonly string[]): string {
  const told =
    still.length <= mostTold
      ? still
      : [...still.slice(0, mostTold - 1), `and ${still.length - mostTold + 1} more`];
  return `nothing that it looks at changes: ${told.join('; ')}`;
}

export interface Instance {
  /**
   * The place of the number of the vector that trigger and response depend on; absent: on all of
   * it.
   */
  readonly slot?: number;
  /** Absent: each world without a response. It counts only there. */
  readonly trigger?: Predicate;
  readonly response: Predicate;
}

/** Where a property was decided. */
export interface Evidence {
  /** The world that decides it, or the first world of a run that does. */
  readonly world: number;
  /** The edges from `world` to the world that decides it; absent if that is `world`. */
  readonly onward?: readonly number[];
  /** The action in `world` that decides it. */
  readonly action?: number;
  /** An action that fails in `world`. */
  readonly fault?: { readonly action: number; readonly error: ConclaveError };
  /** A run from `world` on which it never becomes true. */
  readonly run?: FairRun;
}
