import { ConclaveError } from '../../base/error.js';
import type { Message, NodeId } from '../../protocol/node.js';
import type { LocalState } from '../../protocol/step.js';
import { violatedBy } from '../../protocol/unhandled-messages.js';
import { nextOrFault } from '../worlds/next-or-fault.js';
import type { Action, World } from '../worlds/world.js';
import type { Worlds } from '../worlds/worlds.js';
import { nodeOf, type Position } from './position.js';

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
export class Failures {
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
