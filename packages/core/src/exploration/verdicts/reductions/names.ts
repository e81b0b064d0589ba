import type { Json, NodeId } from '../../../protocol/node.js';
import type { LocalState } from '../../../protocol/step.js';
import type { Permutation } from '../../../protocol/symmetry.js';
import type { Action } from '../../worlds/world.js';

/**
 * A permutation of the nodes, acting on data: each string that is a node id is renamed; names of
 * fields and types stay.
 */
export class Names {
  constructor(readonly permutation: Permutation) {}

  id(id: NodeId): NodeId {
    return this.permutation.get(id) ?? id;
  }

  value(value: Json): Json {
    if (typeof value === 'string') return this.id(value);
    if (Array.isArray(value)) return value.map((item) => this.value(item));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [this.id(key), this.value(item)]),
    );
  }

  /** Renames the values of a message, command or event; its field names and its type stay. */
  fields<T extends { readonly type: string }>(carrier: T): T {
    const { type } = carrier;
    const fields = Object.fromEntries(
      Object.entries<Json>({ ...carrier }).map(([field, value]) => [field, this.value(value)]),
    );
    return { ...carrier, ...fields, type };
  }

  state(state: LocalState): LocalState {
    const { context, timers, recorded } = state;
    return {
      ...state,
      context: Object.fromEntries(
        Object.entries(context).map(([field, value]) => [field, this.value(value)]),
      ),
      timers: timers.map(({ id, delay, event }) => ({
        id: this.id(id),
        delay,
        event: this.fields(event),
      })),
      ...(recorded !== undefined && { recorded: this.value(recorded) }),
    };
  }

  /** An action of a node or a channel. */
  action<A extends Action>(action: A): A;
  action(action: Action): Action {
    const { type } = action;
    if (type === 'split' || type === 'heal' || type === 'tick')
      throw new Error('unreachable: an action of the network is not a step of a node');
    if ('from' in action)
      return {
        ...action,
        from: this.id(action.from),
        to: this.id(action.to),
        message: this.fields(action.message),
      };
    const node = this.id(action.node);
    if (type === 'crash' && action.during) {
      const { during } = action;
      return { ...action, node, during: during.type === 'start' ? during : this.action(during) };
    }
    if (type === 'command') return { ...action, node, command: this.fields(action.command) };
    if (type === 'timeout') return { ...action, node, timer: this.id(action.timer) };
    return type === 'choose'
      ? { ...action, node, value: this.value(action.value) }
      : { ...action, node };
  }
}
