import type { Property } from '@conclave/core/protocol';

export interface ConformOptions {
  /** Default: those of the protocol. */
  readonly properties?: readonly Property[];
  /** The most consistent cuts to look at; 0: only one causal order. Default 200000. */
  readonly cuts?: number;
  /** Called now and then: how many lines, and how many characters, were read. */
  readonly onProgress?: (lines: number, read: number) => void;
}

/** How journals compare with the machine. */
export interface Conformed {
  /** `incomplete`: without a complaint, but not everything could be repeated: the notes say why. */
  readonly verdict: 'conforms' | 'violates' | 'incomplete';
  readonly protocol: string;
  readonly topology: string;
  /** Steps repeated, of all nodes. */
  readonly steps: number;
  /** The starts of nodes, as their journals tell them. */
  readonly journals: readonly {
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
  }[];
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
  readonly properties: readonly {
    readonly name: string;
    readonly kind: Property['kind'];
    readonly extent:
      | 'every consistent cut'
      | 'one causal order'
      | 'the causal past of each step'
      | 'each step'
      | 'not checked';
    readonly violated: boolean;
    /** Why it was not checked, or not on every cut. */
    readonly note?: string;
  }[];
  /** How many consistent cuts were looked at; 0 where there were too many. */
  readonly cuts: number;
  readonly complaints: readonly {
    /**
     * What is wrong with a journal, or between two:
     * - `header`: journals that do not belong together, or of another version of the machine.
     * - `line`: a line that cannot be read, or was changed after it was written.
     * - `numbers`: steps or messages of a node are not numbered one after the other.
     * - `step`: the machine does not take this step, or does something else in it.
     * - `state`: the step is the machine's, but the state after it was another.
     * - `stable`: a restart with other stable fields than the node had before.
     * - `unhandled`: a message that no state handles.
     * - `unsent`: a message arrived that its sender has not sent; `altered`: it arrived with another
     *   content.
     * - `doubled`, `lost`, `reordered`: what the channels of the protocol must not do.
     * - `order`: no order of the steps has each message sent before it arrives.
     * - `property`: a property of the protocol does not hold.
     */
    readonly kind:
      | 'header'
      | 'line'
      | 'numbers'
      | 'step'
      | 'state'
      | 'stable'
      | 'unhandled'
      | 'unsent'
      | 'altered'
      | 'doubled'
      | 'lost'
      | 'reordered'
      | 'order'
      | 'property';
    /** The name of the journal. */
    readonly file: string;
    /** From 1. */
    readonly line: number;
    readonly what: string;
    /** What to try; may be empty. */
    readonly cure: string;
  }[];
  /** What could not be known. */
  readonly notes: readonly string[];
}

export type JudgedProperty = Conformed['properties'][number];
export type Extent = JudgedProperty['extent'];

export type Complaint = Conformed['complaints'][number];
export type ComplaintKind = Complaint['kind'];

/** Ends the replay of a journal. */
export class Mismatch extends Error {
  constructor(
    readonly kind: ComplaintKind,
    readonly what: string,
    readonly cure = '',
  ) {
    super(what);
  }
}
