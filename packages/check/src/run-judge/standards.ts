/**
 * The properties that every protocol is checked for: no deadlock, every message handled, no step
 * fails. The present position of a run decides them, so they need no tracker. That includes actions
 * that are possible there and fail, as in the explorer, although the run does not take them.
 */
import {
  answerOf,
  everyMessageHandled,
  noStepFails,
  violatedBy,
  waitingOf,
} from '@conclave/core/internal';
import type { Tracker } from '@conclave/core/internal/judge';
import type { LocalState, Message, NodeId } from '@conclave/core/protocol';
import { ConclaveError } from '@conclave/core/protocol';
import { listed } from '../base/listed.js';
import { noDeadlock } from '../worlds/standard-properties.js';
import type { Action, World } from '../worlds/world.js';
import { nextOrFault, type Worlds } from '../worlds/worlds.js';
import { nodeOf, type Position } from './position.js';

type Outcome = ReturnType<Tracker['now']>;

/** A standard property: what it says of a position. */
export interface Standard {
  readonly name: string;
  readonly at: (position: Position) => Outcome;
  /** If these positions come again and again. */
  readonly repeated: (position: Position, loop: readonly Position[]) => Outcome;
}

/** The standard properties of a protocol, in their order. */
export function standardsOf(worlds: Worlds): readonly Standard[] {
  const failures = new Failures(worlds);
  return [
    ...(worlds.budget.unexpected === 'discard' ? [] : [noFault(everyMessageHandled, failures)]),
    ...(worlds.protocol.waiting === false ? [] : [noDeadlocks]),
    noFault(noStepFails, failures),
  ];
}

const isTrue = (reason: string): Outcome => ({
  value: 'true',
  explain: () => ({ reason, nodes: [] }),
});
const isFalse = (reason: string, nodes: readonly NodeId[]): Outcome => ({
  value: 'false',
  explain: () => ({ reason, nodes }),
});

/** False where the last action has failed in the way of this property, or a possible one would. */
function noFault(name: string, failures: Failures): Standard {
  const at = (position: Position): Outcome => {
    const { fault, actor } = position;
    if (fault && violatedBy(fault, position.worlds.budget.unexpected) === name)
      return isFalse(fault.message, actor === undefined ? [] : [actor]);
    const failure = failures.firstIn(position, name);
    if (failure) return isFalse(failure.error.message, [failure.node]);
    return isTrue(
      name === everyMessageHandled
        ? 'Each message that can arrive is handled.'
        : 'Each step that can be taken succeeds.',
    );
  };
  const repeated = (position: Position, loop: readonly Position[]) =>
    loop.map(at).find(({ value }) => value === 'false') ?? at(position);
  return { name, at, repeated };
}

const goesOn = isTrue('Something can still happen.');

const noDeadlocks: Standard = {
  name: noDeadlock,
  at: (position) => {
    if (position.fault) return isTrue('The run goes no further than the fault.');
    if (!position.isQuiescent) return goesOn;
    const waiting = waitingOf(position.worlds.protocol);
    const stuck = waiting
      ? position.view.nodes.filter(
          (node) => !node.crashed && answerOf({ name: noDeadlock }, waiting, node),
        )
      : [];
    if (stuck.length === 0) return isTrue('Nothing can happen, and no node waits.');
    const ids = stuck.map(({ id }) => id);
    return isFalse(
      `Nothing can happen, and ${listed(ids, 'and')} ${ids.length === 1 ? 'waits' : 'wait'}.`,
      ids,
    );
  },
  repeated: () => goesOn,
};

/** An action that fails. */
interface Failure {
  readonly error: ConclaveError;
  /** The node whose machine cannot take it. */
  readonly node: NodeId;
}

/**
 * Which possible actions fail. Whether one does depends on the state of its node only, and a step
 * changes the state of one node: so most answers are known from the world before.
 */
class Failures {
  /** By state, and then by a text for the action. Null: it does not fail. */
  readonly #known = new WeakMap<LocalState, Map<string, ConclaveError | null>>();
  /** Messages stay the same objects while they are in flight. */
  readonly #messages = new WeakMap<Message, number>();
  #count = 0;

  constructor(private readonly worlds: Worlds) {}

  /** The first possible action whose failure violates a standard property. */
  firstIn(
    { world, actions }: Pick<Position, 'world' | 'actions'>,
    property: string,
  ): Failure | undefined {
    for (const action of actions) {
      const node = nodeOf(action);
      // no machine takes it; a step that fails has no crash in its middle
      if (node === undefined || action.type === 'crash') continue;
      const error = this.#errorOf(world, node, action);
      if (error && violatedBy(error, this.worlds.budget.unexpected) === property)
        return { error, node };
    }
    return undefined;
  }

  #errorOf(world: World, node: NodeId, action: Action): ConclaveError | undefined {
    const state = world.nodes[node];
    if (!state) return undefined;
    const known = this.#known.get(state) ?? new Map<string, ConclaveError | null>();
    this.#known.set(state, known);
    const key =
      action.type === 'deliver'
        ? `${action.from} ${this.#numberOf(action.message)}`
        : JSON.stringify(action);
    const answer = known.get(key);
    if (answer !== undefined) return answer ?? undefined;
    const next = nextOrFault(this.worlds, withOnly(world, action), action);
    const error = next instanceof ConclaveError ? next : undefined;
    known.set(key, error ?? null);
    return error;
  }

  #numberOf(message: Message): number {
    const number = this.#messages.get(message) ?? this.#count++;
    this.#messages.set(message, number);
    return number;
  }
}

/**
 * The world with no message but the one that an action is about: steps copy the channels, and other
 * messages do not change whether one fails.
 */
function withOnly(world: World, action: Action): World {
  if (action.type === 'deliver') {
    const channel = `${action.from}→${action.to}`;
    const dues = action.due ? { [channel]: [action.due] } : {};
    return {
      ...world,
      channels: { [channel]: [action.message] },
      ...(world.clocks && { clocks: { ...world.clocks, dues } }),
    };
  }
  return { ...world, channels: {}, ...(world.clocks && { clocks: { ...world.clocks, dues: {} } }) };
}
