/** One node of a system: its steps, why it takes them, and how properties see it. */

import {
  breaksRules,
  byXState,
  crashNotices,
  duringStep,
  inputAgain,
  labelOf,
  NodeHistory,
  nodeStep,
  requireSend,
  roleOf,
  systemViewOf,
  unlabelled,
  viewOfNode,
  withRecorded,
} from '@conclave/core/internal';
import type { Command, Json, NodeId, NodeView, SystemView } from '@conclave/core/protocol';
import {
  ConclaveError,
  type LocalState,
  type NodeStep,
  type Protocol,
  type Role,
  type Step,
} from '@conclave/core/protocol';
import type { Topology } from '@conclave/core/topology';
import type { EventObject } from 'xstate';
import { badInput } from '../base/bad-input.js';
import type { Budget } from './budget.js';
import type { Action, World } from './world.js';

/** What takes the steps of a node: XState, or a plan of its machine. */
export type Stepper = typeof byXState;

/** A network of nodes, and what their environment may do. */
interface System {
  readonly protocol: Protocol;
  readonly topology: Topology;
  readonly budget: { readonly unexpected?: Budget['unexpected'] };
}

/**
 * One node of a network as pure steps of its machine and its history. They do not depend on the
 * rest of the world. Unless another `stepper` is given, XState takes them.
 */
export class LocalNode {
  readonly #role: Role;
  readonly #history: NodeHistory | undefined;

  constructor(
    readonly id: NodeId,
    private readonly protocol: Protocol,
    private readonly topology: Topology,
    private readonly stepper: Stepper = byXState,
    private readonly unexpected: Budget['unexpected'] = 'refuse',
  ) {
    this.#role = roleOf(protocol, id, topology);
    this.#history = NodeHistory.of(protocol, topology, id, stepper.unchecked);
  }

  /** The node `id` of a system. */
  static of(
    { protocol, topology, budget }: System,
    id: NodeId,
    stepper: Stepper = byXState,
  ): LocalNode {
    return new LocalNode(id, protocol, topology, stepper, budget.unexpected);
  }

  start(): Step {
    const started = this.#linked(
      this.stepper.start(this.#role.machine, this.id, this.#role.input(this.id, this.topology)),
    );
    return this.#history ? this.#with(this.#history, started, this.#history.initial()) : started;
  }

  /** The state after a restart: the initial one, except for the role's stable fields. */
  #restart({ context }: LocalState): Step {
    const { machine, input, stable = [] } = this.#role;
    return this.#linked(
      this.stepper.start(
        machine,
        this.id,
        inputAgain(input(this.id, this.topology), context, stable),
      ),
    );
  }

  /** A guard that fails counts as one that holds: the step itself will tell. */
  takes(state: LocalState, event: EventObject): boolean {
    try {
      return this.stepper.takes(this.#role.machine, state, event, this.id);
    } catch (error) {
      if (breaksRules(error)) return true;
      throw error;
    }
  }

  /** The tags after a command; those before it if it fails, which the step itself will tell. */
  tagsAfter(state: LocalState, command: Command): readonly string[] {
    try {
      return this.perform(state, { type: 'command', node: this.id, command }).state.tags;
    } catch (error) {
      if (breaksRules(error)) return state.tags;
      throw error;
    }
  }

  /** The step of an action of this node; nothing changes if no machine acts. */
  perform(state: LocalState, action: Action): Step {
    const taken = this.#checked(state, action);
    return this.#history && taken.state !== state
      ? this.#recorded(this.#history, state, action, taken)
      : taken;
  }

  /** The step; if it fails, the error says which one it was. */
  #checked(state: LocalState, action: Action): Step {
    try {
      return this.#perform(state, action);
    } catch (error) {
      throw duringStep(error, state.value, causeOfAction(action));
    }
  }

  #perform(state: LocalState, action: Action): Step {
    switch (action.type) {
      case 'command':
        return this.#step(state, action.command);
      case 'deliver':
        return this.#received(state, receivedBy(action));
      case 'timeout':
        return this.#linked(this.stepper.fire(this.#role.machine, this.id, state, action.timer));
      case 'choose': {
        const chosen = { type: 'chosen', value: action.value };
        return this.#step(state, chosen);
      }
      case 'crash':
        return { state, effects: crashNotices(this.protocol, this.topology, this.id) };
      case 'restart':
        return this.#restart(state);
      default:
        return { state, effects: [] };
    }
  }

  #step(state: LocalState, event: { readonly type: string }): Step {
    return this.#linked(this.stepper.step(this.#role.machine, this.id, state, event));
  }

  /** A message that is discarded leaves the node as it is. */
  #received(state: LocalState, event: { readonly type: string }): Step {
    try {
      return this.#step(state, event);
    } catch (error) {
      const isUnhandled = error instanceof ConclaveError && error.code === 'unhandled';
      if (this.unexpected === 'discard' && isUnhandled) return { state, effects: [] };
      throw error;
    }
  }

  /** Whether the node discards the message of a delivery in this state. */
  discards(state: LocalState, action: Action): boolean {
    return (
      this.unexpected === 'discard' &&
      action.type === 'deliver' &&
      !this.takes(state, receivedBy(action))
    );
  }

  /** The step with the history after it. A restart keeps the history. */
  #recorded(history: NodeHistory, before: LocalState, action: Action, taken: Step): Step {
    const { recorded = history.initial() } = before;
    const cause = causeOfAction(action);
    if (!cause) return this.#with(history, taken, recorded);
    const viewOf = (state: LocalState) =>
      nodeViewOf(this.protocol, this.topology, this.id, state, false);
    const label = labelOfAction(action);
    const seen = {
      ...nodeStep(viewOf(before), viewOf(taken.state), cause, taken.effects),
      ...(label === undefined ? {} : { label }),
    };
    return this.#with(history, taken, history.after(recorded, seen));
  }

  /** The step with this history after it, its messages labelled. */
  #with(history: NodeHistory, { state, effects }: Step, recorded: Json): Step {
    return {
      state: withRecorded(state, recorded),
      effects: effects.map((effect) =>
        effect.type === 'send'
          ? { ...effect, message: history.labelled(effect.message, recorded) }
          : effect,
      ),
    };
  }

  #linked(taken: Step): Step {
    const { protocol, topology, id } = this;
    for (const effect of taken.effects)
      if (effect.type === 'send') requireSend({ protocol, topology }, id, effect);
    return taken;
  }
}

/** A message as the machine of its receiver gets it. */
const receivedBy = ({ message, from }: Extract<Action, { readonly type: 'deliver' }>) => ({
  ...unlabelled(message),
  from,
});

/**
 * What the machine of a node reacts to by `action`; undefined where no machine reacts, and for a
 * restart.
 */
export function causeOfAction(action: Action): NodeStep['cause'] | undefined {
  const { type } = action;
  if (type === 'command') return { kind: type, command: action.command };
  if (type === 'deliver')
    return { kind: 'message', message: unlabelled(action.message), from: action.from };
  if (type === 'timeout') return { kind: type, timer: action.timer };
  return type === 'choose' ? { kind: 'choice', value: action.value } : undefined;
}

/** What the message that `action` delivers carries along for the history. */
const labelOfAction = (action: Action): Json | undefined =>
  action.type === 'deliver' ? labelOf(action.message) : undefined;

/** A node as properties see it. */
export const nodeViewOf = (
  protocol: Protocol,
  topology: Topology,
  id: NodeId,
  state: Pick<LocalState, 'value' | 'context' | 'tags' | 'recorded'>,
  crashed: boolean,
): NodeView =>
  viewOfNode(protocol, id, protocol.roleOf(id, topology), state, state.recorded, crashed);

/** A world as properties see it. */
export function viewOf(protocol: Protocol, topology: Topology, world: World): SystemView {
  const nodes: readonly NodeView[] = topology.nodes.map((id) => {
    const state = world.nodes[id];
    if (!state) throw badInput(`The world has no node '${id}'`);
    return nodeViewOf(protocol, topology, id, state, world.crashed.includes(id));
  });
  const messages = () =>
    topology.links.flatMap(({ from, to }) =>
      (world.channels[`${from}→${to}`] ?? []).map((message) => ({
        from,
        to,
        message: unlabelled(message),
      })),
    );
  return systemViewOf(protocol, nodes, messages);
}
