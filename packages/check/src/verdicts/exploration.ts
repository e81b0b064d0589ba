import type { NodeId } from '@conclave/core/protocol';
import type { Trace } from '@conclave/core/trace';
import type { PropertyFinding } from './property-finding.js';

/** What an exploration found. */
export interface Exploration {
  readonly protocol: string;
  readonly topology: string;
  readonly states: number;
  readonly transitions: number;
  readonly depth: number;
  /** The largest number of worlds that were found and not yet expanded. */
  readonly width: number;
  /**
   * The distinct steps of single nodes: a local state of a node, and an event. All are confirmed
   * before a property holds; after an incomplete search, perhaps none.
   */
  readonly steps: {
    readonly distinct: number;
    readonly confirmed: number;
    /**
     * By role: why its machine is not compiled, so that XState took its steps the first time as
     * well. Absent: all are compiled.
     */
    readonly uncompiled?: Readonly<Record<string, string>>;
  };
  /** From the call to the last verdict: building, searching, judging, coverage. */
  readonly seconds: number;
  /** In exact time: the step of time in milliseconds. */
  readonly tick?: number;
  /** What the verdicts assume; empty for a complete search without faults. */
  readonly assumptions: readonly string[];
  /**
   * With `unexpected: 'discard'`: the messages that nodes have discarded, and in which states;
   * empty if every message that arrived was handled.
   */
  readonly discarded?: readonly {
    readonly role: string;
    readonly state: string;
    readonly message: string;
    /** In how many distinct steps: a local state of a node, and a message. */
    readonly steps: number;
  }[];
  /** Whether every reachable world was looked at; if not, no verdict is `holds`. */
  readonly complete: boolean;
  /**
   * The limit that ended the search; in a complete one, the limit that left properties of runs
   * undecided.
   */
  readonly limit?: 'states' | 'memory' | 'seconds' | 'depth' | 'interrupted';
  readonly properties: readonly PropertyFinding[];
  /** What makes the worlds many: how many different values their parts take. */
  readonly diagnosis: {
    /** By node: its different local states. */
    readonly nodes: Readonly<Record<NodeId, number>>;
    /** By context field: the number of its values over all nodes, largest first. */
    readonly fields: Readonly<Record<string, number>>;
    /** Different messages, and different contents of a channel. */
    readonly messages: number;
    readonly contents: number;
    /**
     * In exact time, if the longest time takes more than 200 ticks: both in
     * milliseconds. A larger common divisor of all times saves worlds.
     */
    readonly fineTime?: { readonly tick: number; readonly longest: number };
    /**
     * Counters that probably grow without bound, and their range so far; none after a complete
     * search. `field`: a number in the context, such as `clock`, `deferred[].ts`, or `known.*` in an
     * object by node.
     */
    readonly growing: readonly {
      readonly field: string;
      readonly least: number;
      readonly most: number;
    }[];
  };
  /** With `coverage`, unless a limit ended it: which transitions of the machines were taken. */
  readonly coverage?: readonly {
    readonly role: string;
    /** How many transitions it has, and how many of them were taken. */
    readonly transitions: number;
    readonly taken: number;
    /**
     * The transitions that were never taken, such as
     * `released.away: always [tokenIsHere] → released.here`.
     */
    readonly missed: readonly string[];
    /**
     * The results of guards. A guard that was never evaluated is in neither list: its transition is
     * among the missed.
     */
    readonly guards: {
      /** How many were evaluated at least once. */
      readonly asked: number;
      /**
       * Those that were evaluated and never true, by their transitions: such as
       * `wanted: request [oursIsOlder]`.
       */
      readonly neverTrue: readonly string[];
      readonly neverFalse: readonly string[];
    };
    /** Innermost states that were never entered. */
    readonly unentered: readonly string[];
    /**
     * Messages that the role handles in some state but that never arrived in this one, such as
     * `wanted: reply`.
     */
    readonly undelivered: readonly string[];
    /**
     * Of a bare machine: the events that its states list or that it raises, and that no state takes
     * which was entered. Absent where there are none.
     */
    readonly untaken?: readonly string[];
  }[];
  /**
   * With `coverage`, for a bare machine whose events may come at any moment: from where none of its
   * final states can be reached, although some can be reached from its start.
   */
  readonly deadEnds?: {
    /** From which no final state can be reached. */
    readonly states: readonly string[];
    /** The shortest run to one of them. */
    readonly trace: Trace;
  };
}
