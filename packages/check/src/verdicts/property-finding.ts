import type { NodeId, Property, Verdict } from '@conclave/core/protocol';
import type { Trace } from '@conclave/core/trace';

/** What a search has found about a property. */
export interface PropertyFinding {
  readonly name: string;
  readonly kind: Property['kind'];
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
  /**
   * A run that violates it, or (`sometimes`) reaches it: a shortest one in a breadth-first search,
   * except for `leadsTo` and `eventually`; otherwise one of which no single step can be deleted,
   * except for properties of runs. A step with a crash in its middle
   * counts as one; where a crash between steps does as well, the run has that.
   */
  readonly trace?: Trace;
  /** Why a step fails that follows the trace; `linesText(trace)` ends with it. */
  readonly reason?: string;
  /**
   * For a violated `leadsTo` or `eventually`: the line, from 0, where the loop begins; the trace's
   * length if the run stops. For a violated `atMost`: the same, if messages are sent forever.
   */
  readonly loopsFrom?: number;
  /**
   * The run as numbers: each is the position of an action among `worlds.actions(world)`, from the
   * initial world on; with `from`, from the end of that run on.
   */
  readonly steps?: readonly number[];
  /**
   * With {@link loopsFrom}: the step, from 0, where the loop begins; as many as there are steps if
   * the run stops.
   */
  readonly loopsFromStep?: number;
  /** With `counterexamples`: more runs that violate it, each of which ends differently. */
  readonly others?: readonly (Pick<PropertyFinding, 'loopsFrom' | 'loopsFromStep' | 'reason'> &
    Required<Pick<PropertyFinding, 'trace' | 'steps'>>)[];
  /**
   * With a `drift`: the nodes whose timers drift apart in the trace, as those of one clock cannot
   * at these moments. Absent if there are none.
   */
  readonly clocksApart?: readonly NodeId[];
}

/** What is known of a property. */
export type Judged = Pick<PropertyFinding, 'verdict' | 'vacuous' | 'remark'>;

/** A run that decides a property. */
export type Witness = NonNullable<PropertyFinding['others']>[number];
