import { unlabelled } from '../../../protocol/history.js';
import type { Protocol } from '../../../protocol/protocol.js';
import { canonical } from '../../worlds/canonical.js';
import type { Action } from '../../worlds/world.js';
import { DataInterner, Interner } from './interner.js';

/** The actions of a system as numbers, each with its fairness class. */
export class ActionTable {
  readonly #actions = new DataInterner<Action>();
  readonly #fairness: number[] = [];
  readonly #classes = new Interner<string>();
  readonly #withoutDue: number[] = [];

  constructor(
    private readonly order: 'fifo' | 'any',
    private readonly commands: Protocol['commands'],
  ) {}

  id(action: Action): number {
    const id = this.#actions.id(action);
    if (id === this.#fairness.length) {
      const name = this.#fairClass(action);
      this.#fairness.push(name === undefined ? -1 : this.#classes.id(name, () => name));
    }
    return id;
  }

  item(action: number): Action {
    return this.#actions.item(action);
  }

  /** Whether an action is an optional command. */
  isOptional(action: number): boolean {
    const known = this.item(action);
    return known.type === 'command' && this.commands[known.command.type]?.kind === 'optional';
  }

  /** The number of an action without its time of arrival. */
  withoutDue(action: number): number {
    const known = this.#withoutDue[action];
    if (known !== undefined) return known;
    const { due: _, ...taken } = { due: undefined, ...this.item(action) };
    const number = this.id(taken);
    this.#withoutDue[action] = number;
    return number;
  }

  /** The class of a fair action; −1 for an unfair one. */
  fairness(action: number): number {
    return this.#fairness[action] as number;
  }

  /**
   * The fair actions: a delivery (of the head, or under `any` order of each message), a time-out, a
   * choice, a command. An obligatory command comes, but which of its examples is open. `leadsTo`
   * treats optional commands as unfair; see `isOptional` of the compiled worlds.
   */
  #fairClass(action: Action): string | undefined {
    const { type } = action;
    if (type === 'deliver')
      return `deliver ${action.from}→${action.to} ${this.order === 'any' ? canonical(unlabelled(action.message)) : ''}`;
    if (type === 'timeout') return `timeout ${action.node} ${action.timer}`;
    if (type === 'choose') return `choose ${action.node}`;
    if (type !== 'command') return undefined;
    const { node, command } = action;
    return `command ${node} ${this.commands[command.type]?.kind === 'obligatory' ? command.type : canonical(command)}`;
  }
}
