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
export type ComplaintKind =
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

export interface Complaint {
  readonly kind: ComplaintKind;
  /** The name of the journal. */
  readonly file: string;
  /** From 1. */
  readonly line: number;
  readonly what: string;
  /** What to try; may be empty. */
  readonly cure: string;
}

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
