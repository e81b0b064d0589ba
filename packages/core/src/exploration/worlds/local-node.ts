import { ConclaveError } from '../../protocol/error.js';
import type { Command, Json, Message, NodeId } from '../../protocol/node.js';
import { type Protocol, type Role, roleOf } from '../../protocol/protocol.js';
import { inputAgain } from '../../protocol/stable.js';
import { fire, type LocalState, type Step, start, step, takes } from '../../protocol/step.js';
import type { Topology } from '../../topology/topology.js';
import type { Action } from './world.js';

/** One node of a network as pure steps of its machine. They do not depend on the rest of the world. */
export class LocalNode {
  readonly #role: Role;

  constructor(
    readonly id: NodeId,
    protocol: Protocol,
    private readonly topology: Topology,
  ) {
    this.#role = roleOf(protocol, id, topology);
  }

  start(): Step {
    return this.#linked(start(this.#role.machine, this.id, this.#role.input(this.id, this.topology)));
  }

  /** The state after a restart: the initial one, except for the role's stable fields. */
  restart({ context }: LocalState): Step {
    const { machine, input, stable = [] } = this.#role;
    return this.#linked(start(machine, this.id, inputAgain(input(this.id, this.topology), context, stable)));
  }

  takes(state: LocalState, command: Command): boolean {
    return takes(this.#role.machine, state, command, this.id);
  }

  command(state: LocalState, command: Command): Step {
    return this.#step(state, command);
  }

  receive(state: LocalState, message: Message, from: NodeId): Step {
    const received = { ...message, from };
    return this.#step(state, received);
  }

  choose(state: LocalState, value: Json): Step {
    const chosen = { type: 'chosen', value };
    return this.#step(state, chosen);
  }

  fire(state: LocalState, timer: string): Step {
    return this.#linked(fire(this.#role.machine, this.id, state, timer));
  }

  /** The step of an action of this node; nothing changes if no machine acts. */
  perform(state: LocalState, action: Action): Step {
    switch (action.type) {
      case 'command':
        return this.command(state, action.command);
      case 'deliver':
        return this.receive(state, action.message, action.from);
      case 'timeout':
        return this.fire(state, action.timer);
      case 'choose':
        return this.choose(state, action.value);
      case 'restart':
        return this.restart(state);
      default:
        return { state, effects: [] };
    }
  }

  #step(state: LocalState, event: { readonly type: string }): Step {
    return this.#linked(step(this.#role.machine, this.id, state, event));
  }

  #linked(taken: Step): Step {
    for (const effect of taken.effects)
      if (effect.type === 'send' && !this.topology.link(this.id, effect.to))
        throw new ConclaveError(
          'bad-protocol',
          `Node ${this.id} sends '${effect.message.type}' to ${effect.to}, to which it has no channel in '${this.topology.spec}'`,
        );
    return taken;
  }
}
