import type { Budget } from '../exploration/worlds/budget.js';
import type { Protocol } from '../protocol/protocol.js';
import type { MutantFinding } from './report.js';

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
