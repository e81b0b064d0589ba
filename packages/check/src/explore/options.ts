import type { Property } from '@conclave/core/protocol';
import type { Trace } from '@conclave/core/trace';
import type { Limits } from '../search/limits/limits.js';
import type { PropertyFinding } from '../verdicts/property-finding.js';
import type { Budget } from '../worlds/budget.js';

export interface ExploreOptions extends Budget {
  /**
   * Default: the protocol's own. The standard properties are checked in addition (see
   * `standardProperties`).
   */
  readonly properties?: readonly Property[];
  /**
   * Which runs count. A run may stop only where no fair action is possible. `none`: every infinite
   * run counts. `weak`: a fair action that stays enabled is eventually taken. `strong`: so is one
   * that is enabled again and again. What holds under one holds under the next. Default `weak`.
   */
  readonly fairness?: 'none' | 'weak' | 'strong';
  readonly limits?: Limits;
  /**
   * Default `breadth`: every trace to a single world is a shortest one. `depth` finds deep worlds
   * sooner, by longer traces.
   */
  readonly search?: 'breadth' | 'depth';
  /** Go on after the first violation, so that every property gets its verdict. Default true. */
  readonly all?: boolean;
  /**
   * Whether to report which transitions were taken; takes some seconds for large systems. Default
   * false.
   */
  readonly coverage?: boolean;
  /**
   * A run, such as `parseTrace(text)`: the search begins where it ends, with the whole budget. Each
   * counterexample has this run before it. Default: the search begins at the start of the nodes.
   */
  readonly from?: Trace;
  /**
   * How many counterexamples of a property of single worlds to find, the shortest first, no two of
   * which end with the same states of all nodes, or with the same step that fails. Those after the
   * first are `others` of its finding. Default 1.
   */
  readonly counterexamples?: number;
  /**
   * Called from time to time. `decided`: the properties that a found world decides: a `sometimes` is
   * reached, another one is violated, by steps that XState has not confirmed yet.
   */
  readonly onProgress?: (
    states: number,
    transitions: number,
    depth: number,
    decided: readonly Pick<PropertyFinding, 'name' | 'kind'>[],
  ) => void;
}

export interface WalkOptions extends Budget {
  /** The same options and seed, the same walks. */
  readonly seed: number;
  /** How many walks; each starts in the initial world. */
  readonly walks: number;
  /** How many steps a walk takes at most; it ends earlier in a world without actions. */
  readonly steps: number;
  /**
   * Default: the protocol's own. The standard properties are checked in addition (see
   * `standardProperties`).
   */
  readonly properties?: readonly Property[];
  /** Whether to report which transitions were taken. Default false. */
  readonly coverage?: boolean;
  /** Called after each walk, and from time to time during it; true ends the walks. */
  readonly stop?: () => boolean;
  /** Called after each walk, with the totals so far. */
  readonly onProgress?: (walks: number, steps: number, states: number) => void;
}
