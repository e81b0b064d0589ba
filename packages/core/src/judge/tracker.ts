import type { NodeId } from '../protocol/node.js';
import type { NodeStep, NodeView, Property, SystemView } from '../protocol/property.js';
import type { Protocol } from '../protocol/protocol.js';

/** Why a run says what it says about a property. */
export interface Reason {
  /** In sentences. */
  readonly reason: string;
  /** False: the nodes to blame. Undecided: those that are awaited. */
  readonly nodes: readonly NodeId[];
}

/** What a run says about a property. */
export interface Outcome {
  /** Undecided: it may still become true or false on this run. */
  readonly value: 'true' | 'false' | 'undecided';
  /** A function, since it takes time, and most hosts do not tell it. */
  readonly because: (protocol: Protocol) => Reason;
}

/** What happens again and again on a run. */
export interface Loop {
  /** Where it begins and ends. */
  readonly system: SystemView;
  /** After each of its steps. None: nothing more happens. */
  readonly systems: readonly SystemView[];
  /** Tells a tracker all its steps once more. */
  readonly round: (tracker: Tracker) => void;
}

/**
 * A property on one run. Its host tells it what happens, as far as it has a method for that, until
 * it is decided: the command and the messages of a step, the step, the system and the node after
 * it.
 */
export abstract class Tracker {
  abstract readonly property: Property;
  /** Set where nothing that follows on this run changes it. */
  decided: Outcome | undefined;

  /** All nodes have started; `system` follows. */
  begin?(system: SystemView): void;
  /** A node got a command of this type. */
  command?(type: string): void;
  /** A message of this type was sent. `from`: where somebody is to be blamed. */
  message?(type: string, from?: NodeId): void;
  /** A node took a step; not a start or restart. */
  step?(step: NodeStep): void;
  /** The system has changed. */
  system?(system: SystemView): void;
  /** A node took a step, crashed or came back. */
  node?(node: NodeView): void;

  /** One that is not decided, for another branch of the run. */
  abstract copy(): Tracker;
  /** While the run goes on. */
  abstract now(system: SystemView): Outcome;
  /** If the run ends here. */
  abstract ended(system: SystemView): Outcome;
  /** If the loop goes on forever. `first`: this one where the loop began. */
  abstract repeated(first: Tracker, loop: Loop): Outcome;
}

export const isViolated = ({ decided }: Tracker): boolean => decided?.value === 'false';

/** A property that a step can violate, and that holds until then. */
export abstract class Safety extends Tracker {
  /** How many rounds of a loop may violate it; a further one does not. */
  protected readonly rounds: number = 0;

  ended(system: SystemView): Outcome {
    return this.now(system);
  }

  repeated(_first: Tracker, loop: Loop): Outcome {
    const copy = this.copy();
    for (let round = 0; round < this.rounds && !copy.decided; round++) loop.round(copy);
    return copy.decided ?? this.now(loop.system);
  }
}

const outcome =
  (value: Outcome['value']) =>
  (reason: string, nodes: readonly NodeId[] = []): Outcome => ({
    value,
    because: () => ({ reason, nodes }),
  });
export const isTrue = outcome('true');
export const isFalse = outcome('false');
export const isUndecided = outcome('undecided');
