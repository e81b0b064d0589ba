import { byPlan } from '../../protocol/compiled/stepper.js';
import { type Protocol, roleOf } from '../../protocol/protocol.js';
import type { LocalState } from '../../protocol/step.js';
import { breaksRules } from '../../protocol/unhandled-messages.js';
import type { CompiledWorlds } from '../search/tables/compiled-worlds.js';
import type { ConfigurationTable } from '../search/tables/configuration-table.js';
import { Interner } from '../search/tables/interner.js';
import { PairTable } from '../search/tables/pair-table.js';
import { type WatchedMachine, watchMachine } from '../verdicts/report/watched-machine.js';
import { LocalNode } from '../worlds/local-node.js';
import type { Action } from '../worlds/world.js';
import type { KnownActions } from './known-actions.js';

/** What a step of a node in a local state shows: by numbers of this process. */
export interface Shown {
  /** The pair of state and event. */
  readonly pair: number;
  /** What may be new in it; emptied once all of it is known. */
  features: readonly number[];
}

/** What walks have found together, as they tell each other. */
export interface News {
  /** What they have shown for the first time. */
  readonly features: readonly string[];
  /** How often they have taken each pair of state and event. */
  readonly pairs: ReadonlyMap<string, number>;
  /** The properties that are decided, by their places. */
  readonly decided: readonly number[];
}

const nothing: readonly number[] = [];

/**
 * What steps show that may be new: a transition taken, a result of a guard, a state with an event,
 * and the order of magnitude of a field of the context. Computed once for each distinct step.
 */
export class Novelty {
  readonly features = new Interner<string>();
  readonly pairs = new Interner<string>();
  readonly #shown: Shown[] = [];
  /** By node: the place in `#shown`, by local state and action. */
  readonly #places: readonly PairTable[];
  /** By action that no machine takes. */
  readonly #ofActions: (Shown | undefined)[] = [];
  /** By the values of all nodes. */
  readonly #worlds = new Map<string, Shown>();
  readonly #values = new Interner<string>();
  /** By node and configuration: the number of its state in `#values`. */
  readonly #valuesAt: readonly number[][];
  readonly #nodes: readonly LocalNode[];
  readonly #roles: readonly string[];
  readonly #machines: ReadonlyMap<string, WatchedMachine>;

  constructor(
    private readonly compiled: CompiledWorlds,
    private readonly actions: KnownActions,
  ) {
    const { protocol, topology } = compiled.worlds;
    const { nodes } = topology;
    this.#machines = new Map(
      Object.entries(protocol.roles).map(([name, { machine }]) => [name, watchMachine(machine)]),
    );
    const copy: Protocol = {
      ...protocol,
      roles: Object.fromEntries(
        Object.entries(protocol.roles).map(([name, role]) => [
          name,
          { ...role, machine: (this.#machines.get(name) as WatchedMachine).machine }, // of each role
        ]),
      ),
    };
    const { unexpected } = compiled.worlds.budget;
    this.#nodes = nodes.map((id) => new LocalNode(id, copy, topology, byPlan, unexpected));
    this.#roles = nodes.map((id) => roleOf(protocol, id, topology).name);
    this.#valuesAt = nodes.map(() => []);
    this.#places = nodes.map(() => new PairTable());
  }

  /** What `action` shows where node number `node` is in this local state. */
  of(node: number, state: number, action: number): Shown {
    if (node < 0) return this.#ofAction(action);
    const taken = this.compiled.asTaken(action);
    const places = this.#places[node] as PairTable; // one for each node
    const known = places.get(state, taken);
    if (known >= 0) return this.#shown[known] as Shown;
    places.add(state, taken, this.#shown.length);
    const shown = this.#ofStep(node, state, taken);
    this.#shown.push(shown);
    return shown;
  }

  /** What a world shows as a whole: the states of all nodes together, whichever node is in which. */
  ofWorld(vector: Int32Array): Shown {
    const { configurations } = this.compiled;
    const states = configurations.map((table, node) =>
      this.#valueOf(node, table, vector[node] as number),
    ); // of each node
    const key = states.sort((one, other) => one - other).join();
    const known = this.#worlds.get(key);
    if (known) return known;
    const text = states
      .map((state) => this.#values.item(state))
      .sort()
      .join(', ');
    const shown = { pair: -1, features: [this.#feature(`together ${text}`)] };
    this.#worlds.set(key, shown);
    return shown;
  }

  #valueOf(node: number, table: ConfigurationTable, place: number): number {
    const values = this.#valuesAt[node] as number[]; // one for each node
    const known = values[place];
    if (known !== undefined) return known;
    const { state, crashed } = table.item(place);
    const text = `${this.#roles[node]} ${JSON.stringify(state.value)}${crashed ? ' down' : ''}`;
    const value = this.#values.id(text, () => text);
    values[place] = value;
    return value;
  }

  #ofAction(action: number): Shown {
    const known = this.#ofActions[action];
    if (known) return known;
    const shown = { pair: this.#pair(this.actions.of(action).what), features: nothing };
    this.#ofActions[action] = shown;
    return shown;
  }

  #ofStep(node: number, state: number, action: number): Shown {
    const role = this.#roles[node] as string;
    const { what, isInside } = this.actions.of(action);
    const before = this.compiled.localState(node, state);
    const pair = `${role} ${JSON.stringify(before.value)} ${what}`;
    if (isInside) return { pair: this.#pair(pair), features: [this.#feature(pair)] };
    const after = this.compiled.outcome(node, state, action);
    const features = after.error
      ? [`${pair} fails`]
      : [
          `${pair} ${JSON.stringify(this.compiled.localState(node, after.state).value)}`,
          ...comparisons(pair, before, this.compiled.actionOf(action)),
          ...depths(role, this.compiled.localState(node, after.state)),
          ...this.#watched(node, role, before, action),
        ];
    return { pair: this.#pair(pair), features: features.map((text) => this.#feature(text)) };
  }

  /** The transitions that a step takes, and the results of guards. */
  #watched(node: number, role: string, before: LocalState, action: number): readonly string[] {
    const { transitions } = this.#machines.get(role) as WatchedMachine; // of each role
    const local = this.#nodes[node] as LocalNode;
    for (const one of transitions) {
      one.taken = false;
      one.answers.clear();
    }
    try {
      local.perform(before, this.compiled.actionOf(action));
    } catch (error) {
      if (!breaksRules(error)) throw error;
    }
    const found: string[] = [];
    for (const [index, { taken, answers }] of transitions.entries()) {
      if (taken) found.push(`${role} takes ${index}`);
      for (const answer of answers) found.push(`${role} guard ${index} ${answer}`);
    }
    return found;
  }

  #pair(text: string): number {
    return this.pairs.id(text, () => text);
  }

  #feature(text: string): number {
    return this.features.id(text, () => text);
  }
}

/**
 * How the numbers of a message compare with those of the receiver: a guard may ask whether one is
 * later than the other, and most runs never answer yes.
 */
function comparisons(pair: string, { context }: LocalState, action: Action): readonly string[] {
  if (action.type !== 'deliver') return [];
  const own = numbersIn(context);
  return numbersIn(action.message).flatMap(([field, sent]) =>
    own.map(([other, has]) => `${pair} ${field} ${Math.sign(sent - has)} ${other}`),
  );
}

const numbersIn = (data: object): readonly (readonly [field: string, value: number])[] =>
  Object.entries(data).filter((entry): entry is [string, number] => typeof entry[1] === 'number');

/** How deep the fields of a context are, by orders of magnitude: of numbers and of sizes. */
function depths(role: string, { context }: LocalState): readonly string[] {
  return Object.entries(context as Readonly<Record<string, unknown>>).flatMap(([field, value]) => {
    const size = sizeOf(value);
    return size === undefined ? [] : [`${role} ${field} ${magnitude(size)}`];
  });
}

function sizeOf(value: unknown): number | undefined {
  if (typeof value === 'number') return value;
  if (typeof value !== 'object' || value === null) return undefined;
  return Array.isArray(value) ? value.length : Object.keys(value).length;
}

/** 0, 1, 2, 3, 4 to 7, 8 to 15 …; of negative numbers, too. */
function magnitude(size: number): number {
  const most = Math.min(Math.ceil(Math.abs(size)), 2 ** 31);
  return Math.sign(size) * (most < 4 ? most : 33 - Math.clz32(most));
}
