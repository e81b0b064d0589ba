import { ConclaveError } from '../base/error.js';
import { answerOf } from '../protocol/answer.js';
import { systemViewOf } from '../protocol/check-properties.js';
import type { NodeId } from '../protocol/node.js';
import type { NodeStep, NodeView, Property, PropertyOf, SystemView } from '../protocol/property.js';
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
  /** A function, since it takes time, and most hosts never ask. */
  readonly explain: (protocol: Protocol) => Reason;
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
    explain: () => ({ reason, nodes }),
  });
export const isTrue = outcome('true');
export const isFalse = outcome('false');
export const isUndecided = outcome('undecided');

/**
 * At most so many sets of nodes are taken out: all sets of one and two nodes of a network of 20.
 */
const mostSets = 210;
const mostAtOnce = 3;

/** Why a predicate does not answer `wanted`: the nodes without which it would. */
export function withoutSome(
  property: PropertyOf<'always' | 'never' | 'alwaysEventually'>,
  protocol: Protocol,
  system: SystemView,
  wanted: boolean,
): Reason {
  const sets = blamed(property, protocol, system, wanted);
  const nodes = system.nodes
    .map(({ id }) => id)
    .filter((id) => sets.some((set) => set.includes(id)));
  if (sets.length === 0) return { reason: 'No single node is to blame.', nodes };
  const named = sets.map((set) => listed(set, 'and'));
  return { reason: `It would hold without ${listed(named, 'or without')}.`, nodes };
}

/**
 * The smallest sets of nodes without which a predicate would answer `wanted`: found by taking nodes
 * out of the view, with the messages in flight from and to them. Empty if there is none among the
 * smallest sets.
 */
function blamed(
  property: PropertyOf<'always' | 'never' | 'alwaysEventually'>,
  protocol: Protocol,
  system: SystemView,
  wanted: boolean,
): readonly (readonly NodeId[])[] {
  let left = mostSets;
  const wouldDo = (without: readonly NodeId[]): boolean => {
    const nodes = system.nodes.filter(({ id }) => !without.includes(id));
    const inFlight = () =>
      system.inFlight().filter(({ from, to }) => !without.includes(from) && !without.includes(to));
    try {
      return answerOf(property, property.holds, systemViewOf(protocol, nodes, inFlight)) === wanted;
    } catch (error) {
      if (error instanceof ConclaveError) return false; // it looks for a node that was taken out
      throw error;
    }
  };
  const ids = system.nodes.map(({ id }) => id);
  for (let size = 1; size <= mostAtOnce && size < ids.length; size++) {
    const sets = setsOf(ids, size);
    left -= sets.length;
    if (left < 0) return [];
    const found = sets.filter(wouldDo);
    if (found.length > 0) return found;
  }
  return [];
}

/** All sets of `size` of the items, in their order. */
const setsOf = <T>(items: readonly T[], size: number): readonly (readonly T[])[] =>
  size === 0
    ? [[]]
    : items.flatMap((item, index) =>
        setsOf(items.slice(index + 1), size - 1).map((rest) => [item, ...rest]),
      );

/** `a`, `a and b`, `a, b and c`. */
export const listed = (items: readonly string[], last: string): string =>
  items.length < 2 ? items.join() : `${items.slice(0, -1).join(', ')} ${last} ${items.at(-1)}`;
