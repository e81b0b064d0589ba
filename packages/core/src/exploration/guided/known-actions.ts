import type { CompiledWorlds } from '../search/tables/compiled-worlds.js';
import { canonical } from '../worlds/canonical.js';
import { type Action, isStep, stepOf } from '../worlds/world.js';
import { numberOf } from './numbers.js';

/** What a walk has to know of an action. */
export interface KnownAction {
  /** The action, and its kind, by numbers that do not depend on what was met before. */
  readonly exact: number;
  readonly kind: number;
  /** What a walk may leave out or delay as a whole, such as `drop` or `command acquire`. */
  readonly group: number;
  /** The number of the node whose local state changes; −1 for none. */
  readonly node: number;
  /** Whether it is a crash in the middle of a step. */
  readonly isInside: boolean;
  /** Whether a fair run may not end before it: for every property, or for one of commands. */
  readonly mustCome: boolean;
  readonly isCommand: boolean;
  readonly isOptional: boolean;
  /** What it is besides its node and channel, such as `deliver request`. */
  readonly what: string;
}

/** The actions of a system, by their numbers. */
export class KnownActions {
  readonly groups: string[] = [];
  readonly #known: KnownAction[] = [];
  readonly #groups = new Map<string, number>();

  constructor(private readonly compiled: CompiledWorlds) {}

  of(number: number): KnownAction {
    return this.#known[number] ?? this.#learn(number);
  }

  #learn(number: number): KnownAction {
    const { compiled } = this;
    const action = compiled.actionOf(number);
    const { type } = action;
    const isInside = type === 'crash' && action.during !== undefined;
    const what = whatOf(action);
    const group = isInside ? 'crash inside' : type === 'command' ? what : type;
    const known: KnownAction = {
      exact: numberOf(canonical(action)),
      kind: numberOf(`${placeOf(action)} ${what}`),
      group: this.#groupOf(group),
      node: compiled.worlds.topology.nodes.indexOf(nodeOf(action)),
      isInside,
      mustCome:
        type === 'deliver' ||
        type === 'timeout' ||
        type === 'choose' ||
        (type === 'command' && !compiled.isOptional(number)),
      isCommand: type === 'command',
      isOptional: compiled.isOptional(number),
      what,
    };
    this.#known[number] = known;
    return known;
  }

  #groupOf(name: string): number {
    const known = this.#groups.get(name) ?? this.groups.length;
    if (known === this.groups.length) this.groups.push(name);
    this.#groups.set(name, known);
    return known;
  }
}

/** The node whose local state changes; empty for none. */
function nodeOf(action: Action): string {
  if (action.type === 'crash') return action.node;
  if (!isStep(action)) return '';
  return action.type === 'deliver' ? action.to : action.node;
}

const placeOf = (action: Action): string =>
  'from' in action ? `${action.from}→${action.to}` : nodeOf(action);

function whatOf(action: Action): string {
  switch (action.type) {
    case 'command':
      return `command ${action.command.type}`;
    case 'deliver':
    case 'drop':
    case 'duplicate':
      return `${action.type} ${action.message.type}`;
    case 'timeout':
      return `timeout ${action.timer}`;
    case 'crash': {
      const during = stepOf(action);
      return action.during ? `crash inside ${during ? whatOf(during) : 'start'}` : 'crash';
    }
    default:
      return action.type;
  }
}
