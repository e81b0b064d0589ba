import type { Budget } from '../exploration/worlds/budget.js';
import type { Protocol } from '../protocol/protocol.js';
import type { Operator } from './operators.js';
import type { Slot } from './statechart.js';

/** A protocol with one mistake in it. */
export interface Mutant {
  /** Readable, the same in every run, and no other mutant of the protocol has it. */
  readonly id: string;
  readonly operator: Operator;
  /** The role whose machine is changed; undefined for a mutant of the channels. */
  readonly role: string | undefined;
  /** The state by its path; undefined for a mutant of the channels. */
  readonly state: string | undefined;
  /** `request`, `after 500 ms`, `always`; undefined where no event is meant. */
  readonly event: string | undefined;
  /** The line of the statechart, or of the assumptions, that is changed. */
  readonly before: string;
  readonly after: string;
  /** What the mutant is explored with besides: a loss that the channels may not have. */
  readonly budget: Budget;
  /** Where a run must come by for the mutant to differ; undefined: any may. */
  readonly site: Site | undefined;
  /** The changed protocol, made when it is asked for. It has not passed the checks of `defineProtocol`. */
  readonly protocol: Protocol;
}

/** Where a mutant differs from the original. */
export interface Site {
  readonly role: string;
  readonly path: readonly string[];
  /** What must happen there: its guard is asked, it is taken, the state is entered. */
  readonly by: 'asking' | 'taking' | 'entering';
  readonly slot?: Slot;
  /** Which candidate of the slot; undefined: any. */
  readonly index?: number;
}
