import type { ConclaveError, Property } from '@conclave/core/protocol';
import type { KernelWorlds } from '../../search/kernel/kernel-store.js';
import type { Explored } from '../graphs/paths.js';
import type { FairRun } from './liveness.js';

/** What all properties have, as the judge evaluates them: on vectors of numbers, not on views of worlds. */
interface Common {
  readonly name: string;
  /**
   * What there was for it to look at; called after a complete search without a violation. Absent:
   * enough.
   */
  readonly scope?: (store: KernelWorlds) => Scope;
  /** Why a vacuous result is as intended. */
  readonly vacuous?: string;
}

/** One that single worlds decide. */
export interface StateProperty extends Common {
  readonly kind: 'always' | 'never' | 'sometimes';
  readonly holds: Predicate;
}

/** One that steps or runs decide: its kind knows how to find evidence against it. */
export interface RunProperty extends Common {
  readonly kind: Exclude<Property['kind'], StateProperty['kind']>;
  readonly find: (searched: Searched) => Evidence | undefined;
  /** Of a property of steps: an action of the world `vector` that is not allowed. */
  readonly wrongStepIn?: (vector: Int32Array) => number | undefined;
  /** False: the worlds do not tell all that it is about, so that it is never known to hold. */
  readonly seesAll?: boolean;
}

export type CompiledProperty = StateProperty | RunProperty;

/** What evidence is looked for in. */
export interface Searched {
  readonly store: KernelWorlds;
  /** Absent where the search kept no graph. */
  readonly explored?: Explored | undefined;
  /** After a complete search: fair runs. */
  readonly liveness?: Liveness | undefined;
}

/** What fair runs tell. */
export interface Liveness {
  /** The shortest fair run on which a trigger has no response. */
  findUnanswered(instances: readonly Instance[]): Evidence | undefined;
  /** A fair run on which `holds` is false forever. */
  findForever(kind: 'eventually' | 'almostSurely', holds: Predicate): Evidence | undefined;
}

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
