import { crashNotices } from '../../protocol/crash-notice.js';
import type { Command, NodeId } from '../../protocol/node.js';
import { type Protocol, type Role, roleOf } from '../../protocol/protocol.js';
import { inputAgain } from '../../protocol/stable.js';
import { astray, fire, type LocalState, type Step, start, step, takes } from '../../protocol/step.js';
import type { Topology } from '../../topology/topology.js';
import type { Action } from './world.js';

/** One node of a network as pure steps of its machine. They do not depend on the rest of the world. */
export class LocalNode {
  readonly #role: Role;

  constructor(
    readonly id: NodeId,
    private readonly protocol: Protocol,
    private readonly topology: Topology,
  ) {
    this.#role = roleOf(protocol, id, topology);
  }

  start(): Step {
    return this.#linked(start(this.#role.machine, this.id, this.#role.input(this.id, this.topology)));
  }

  /** The state after a restart: the initial one, except for the role's stable fields. */
  #restart({ context }: LocalState): Step {
    const { machine, input, stable = [] } = this.#role;
    return this.#linked(start(machine, this.id, inputAgain(input(this.id, this.topology), context, stable)));
  }

  takes(state: LocalState, command: Command): boolean {
    return takes(this.#role.machine, state, command, this.id);
  }

  /** The step of an action of this node; nothing changes if no machine acts. */
  perform(state: LocalState, action: Action): Step {
    switch (action.type) {
      case 'command':
        return this.#step(state, action.command);
      case 'deliver': {
        const received = { ...action.message, from: action.from };
        return this.#step(state, received);
      }
      case 'timeout':
        return this.#linked(fire(this.#role.machine, this.id, state, action.timer));
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
    return this.#linked(step(this.#role.machine, this.id, state, event));
  }

  #linked(taken: Step): Step {
    for (const effect of taken.effects)
      if (effect.type === 'send' && !this.topology.link(this.id, effect.to)) throw astray(this.id, effect, this.topology.spec);
    return taken;
  }
}
