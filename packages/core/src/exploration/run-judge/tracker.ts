import type { ConclaveError } from '../../base/error.js';
import type { NodeId } from '../../protocol/node.js';
import type { Position } from './position.js';

/** What a run says about a property. */
export interface Outcome {
  /** Undecided: it may still become true or false on this run. */
  readonly value: 'true' | 'false' | 'undecided';
  /** Why, in sentences. */
  readonly reason: string;
  /** False: the nodes to blame. Undecided: those that are awaited. */
  readonly nodes: readonly NodeId[];
  /** The property could not be evaluated. */
  readonly error?: ConclaveError;
}

/** A property on one run, up to some position; immutable, so that runs may branch. */
export interface Tracker {
  /** After one more step. */
  after(position: Position): Tracker;
  /** While the run goes on. */
  now(): Outcome;
  /** If the run ends here. */
  ended(): Outcome;
  /**
   * If the run goes on with these positions again and again: the last of them has the world of this
   * tracker's. It is `first` at the world where they begin. None: nothing more happens.
   */
  repeated(first: Tracker, loop: readonly Position[]): Outcome;
}

export const isTrue = (reason: string): Outcome => ({ value: 'true', reason, nodes: [] });
export const isFalse = (reason: string, nodes: readonly NodeId[] = []): Outcome => ({
  value: 'false',
  reason,
  nodes,
});
export const isUndecided = (reason: string, nodes: readonly NodeId[] = []): Outcome => ({
  value: 'undecided',
  reason,
  nodes,
});

/** A property that is decided for good. */
export class Decided implements Tracker {
  constructor(private readonly outcome: Outcome) {}

  after(): Tracker {
    return this;
  }

  now(): Outcome {
    return this.outcome;
  }

  ended(): Outcome {
    return this.outcome;
  }

  repeated(): Outcome {
    return this.outcome;
  }
}

/** A property that a step can break, and that holds until then. */
export abstract class Unbroken implements Tracker {
  /** How often a loop is followed until no further round can break it. */
  protected readonly rounds: number = 0;

  abstract after(position: Position): Tracker;
  abstract now(): Outcome;

  ended(): Outcome {
    return this.now();
  }

  repeated(_first: Tracker, loop: readonly Position[]): Outcome {
    let tracker: Tracker = this;
    for (let round = 0; round < this.rounds; round++)
      for (const position of loop) tracker = tracker.after(position);
    return tracker instanceof Decided ? tracker.now() : this.now();
  }
}
