import type { Property } from '../protocol/property.js';
import type { Complaint } from './complaint.js';

export interface ConformOptions {
  /** Default: those of the protocol. */
  readonly properties?: readonly Property[];
  /** The most consistent cuts to look at; 0: only one causal order. Default 200000. */
  readonly cuts?: number;
  /** Called now and then: how many lines, and how many characters, were read. */
  readonly onProgress?: (lines: number, read: number) => void;
}

/** One start of a node, as its journal tells it. */
export interface JournalChecked {
  readonly file: string;
  readonly node: string;
  readonly incarnation: number;
  /** How many steps were repeated. */
  readonly steps: number;
  /**
   * `closed`: the node was closed, and its journal is whole. `open`: its end may be missing.
   * `broken`: it could not be repeated to its end.
   */
  readonly end: 'closed' | 'open' | 'broken';
  /**
   * How many messages of the part that is missing have arrived elsewhere: at least so much is
   * missing.
   */
  readonly missing: number;
}

/** How far a property was checked. */
export type Extent =
  | 'every consistent cut'
  | 'one causal order'
  | 'the causal past of each step'
  | 'each step'
  | 'not checked';

/** What was found about a property. */
export interface JudgedProperty {
  readonly name: string;
  readonly kind: Property['kind'];
  readonly extent: Extent;
  readonly violated: boolean;
  /** Why it was not checked, or not on every cut. */
  readonly note?: string;
}

/** How journals compare with the machine. */
export interface Conformed {
  /** `incomplete`: without a complaint, but not everything could be repeated: the notes say why. */
  readonly verdict: 'conforms' | 'violates' | 'incomplete';
  readonly protocol: string;
  readonly topology: string;
  /** Steps repeated, of all nodes. */
  readonly steps: number;
  readonly journals: readonly JournalChecked[];
  readonly messages: {
    readonly sent: number;
    readonly delivered: number;
    /** Received once more. */
    readonly doubled: number;
    /** Received after a later one of the same link. */
    readonly reordered: number;
    /** Not received, though a later one of the same link was, and links keep their order. */
    readonly lost: number;
    /** Not received for another reason: in flight at the end, or sent to a node that was down. */
    readonly inFlight: number;
    /** Received without a number: the sender has no journal. */
    readonly unnumbered: number;
  };
  readonly properties: readonly JudgedProperty[];
  /** How many consistent cuts were looked at; 0 where there were too many. */
  readonly cuts: number;
  readonly complaints: readonly Complaint[];
  /** What could not be known. */
  readonly notes: readonly string[];
}
