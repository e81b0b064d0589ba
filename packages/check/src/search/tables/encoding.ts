/**
 * A world as a vector: by node the number of its configuration (local state, commands left,
 * clock), by channel the number of its content, and last that of the environment: what is left of
 * the budget, the split, open choices. Each table numbers its values in the order in which they
 * are found.
 */

import { faults, unlabelled } from '@conclave/core/internal';
import type { LocalState, Message, NodeId } from '@conclave/core/protocol';
import type { Link, Topology } from '@conclave/core/topology';
import { badInput } from '../../base/bad-input.js';
import type { Application } from '../../worlds/commands.js';
import { duesOf } from '../../worlds/in-flight.js';
import type { Due, NodeClock } from '../../worlds/time.js';
import type { Action, World } from '../../worlds/world.js';
import * as allowed from '../kernel/format/allowed.js';
import type * as events from '../kernel/format/events.js';
import { DataInterner, PairTable } from './interner.js';

/** The meaning of the numbers in a vector. */
interface Interned {
  readonly configurations: readonly ConfigurationTable[];
  readonly parcels: ParcelTable;
  readonly contents: ContentTable;
  readonly environments: DataInterner<Environment>;
}

/** Worlds as vectors, and back: one integer per node, one per channel, one for the environment. */
export class Encoding {
  readonly #nodes: readonly NodeId[];
  readonly #links: readonly Link[];

  constructor(
    private readonly numbers: Interned,
    { nodes, links }: Topology,
  ) {
    this.#nodes = nodes;
    this.#links = links;
  }

  /** Writes `world` as a vector. */
  encode(world: World, into: Int32Array): void {
    for (const [index, id] of this.#nodes.entries()) {
      const state = world.nodes[id];
      if (!state) throw badInput(`The world has no node '${id}'`);
      const { commands, fulfilled } = world.remaining;
      const clock = world.clocks?.nodes[id];
      const place: NodeConfiguration = {
        state,
        commands: commands[id] ?? [],
        fulfilled: fulfilled[id] ?? [],
        crashed: world.crashed.includes(id),
        ...(clock && { clock }),
      };
      into[index] = (this.numbers.configurations[index] as ConfigurationTable).id(place);
    }
    for (const [index, { from, to }] of this.#links.entries()) {
      const key = `${from}→${to}`;
      const dues = duesOf(world, key);
      const parcels = (world.channels[key] ?? []).map((message, place) =>
        this.numbers.parcels.id(message, dues[place]),
      );
      into[this.#nodes.length + index] = this.numbers.contents.of(parcels);
    }
    into[this.#nodes.length + this.#links.length] = this.numbers.environments.id(
      environmentOf(world),
    );
  }

  /** The world of a vector. */
  decode(vector: Int32Array): World {
    const places = this.#nodes.map((_, index) => this.configurationOf(vector, index));
    const { remaining, cut, choosing, starting } = this.numbers.environments.item(
      vector[this.#nodes.length + this.#links.length] as number,
    );
    const byNode = <T>(of: (place: NodeConfiguration) => T) =>
      Object.fromEntries(
        this.#nodes.map((id, index) => [id, of(places[index] as NodeConfiguration)]),
      );
    const byChannel = <T>(of: (parcel: number) => T) =>
      Object.fromEntries(
        this.#links.flatMap(({ from, to }, index) => {
          const list = this.#parcelsOf(vector, index).map(of);
          return list.length === 0 ? [] : [[`${from}→${to}`, list]];
        }),
      );
    const isTimed = places.some(({ clock }) => clock);
    return {
      nodes: Object.fromEntries(
        this.#nodes.map((id, index) => [id, (places[index] as NodeConfiguration).state]),
      ),
      channels: byChannel((parcel) => this.numbers.parcels.message(parcel)),
      crashed: this.#nodes.filter((_, index) => places[index]?.crashed).sort(),
      cut,
      choosing,
      ...(starting && { starting }),
      remaining: {
        ...remaining,
        commands: byNode(({ commands }) => commands),
        fulfilled: byNode(({ fulfilled }) => fulfilled),
      },
      ...(isTimed && {
        clocks: {
          dues: byChannel((parcel) => this.numbers.parcels.due(parcel) ?? never),
          nodes: byNode(({ clock }) => clock ?? { timers: [], stays: [] }),
        },
      }),
    };
  }

  configurationOf(vector: Int32Array, node: number): NodeConfiguration {
    return (this.numbers.configurations[node] as ConfigurationTable).item(vector[node] as number);
  }

  /** The messages in a channel, without labels. */
  messagesOf(vector: Int32Array, channel: number): readonly Message[] {
    return this.messagesIn(vector[this.#nodes.length + channel] as number);
  }

  /** The messages of a content, without labels. */
  messagesIn(content: number): readonly Message[] {
    return this.numbers.contents
      .list(content)
      .map((parcel) => unlabelled(this.numbers.parcels.message(parcel)));
  }

  #parcelsOf(vector: Int32Array, channel: number): readonly number[] {
    return this.numbers.contents.list(vector[this.#nodes.length + channel] as number);
  }
}

/** For the compiler: in exact time each message in flight has a time of arrival. */
const never: Due = { least: Infinity, most: Infinity };

/**
 * The contents of channels as numbers: 0 is the empty channel. Under `any` order a content is a
 * multiset, kept sorted.
 */
export class ContentTable {
  readonly #lists: (readonly number[])[] = [[]];
  readonly #ids = new Map<string, number>([['', 0]]);

  constructor(private readonly order: 'fifo' | 'any') {}

  /** How many different contents there are. */
  get size(): number {
    return this.#lists.length;
  }

  /** The messages in a channel with this content, oldest first. */
  list(content: number): readonly number[] {
    return this.#lists[content] as readonly number[];
  }

  push(content: number, message: number): number {
    return this.of([...this.list(content), message]);
  }

  /**
   * Message, remaining content, message, …: the head under `fifo`, each distinct message under
   * `any`.
   */
  dequeues(content: number): readonly number[] {
    const list = this.list(content);
    const heads =
      this.order === 'fifo'
        ? list.slice(0, 1).map(() => 0)
        : list.flatMap((message, index) => (list.indexOf(message) === index ? [index] : []));
    return heads.flatMap((index) => [list[index] as number, this.#id(list.toSpliced(index, 1))]);
  }

  /** The content with these messages, oldest first. */
  of(messages: readonly number[]): number {
    return this.#id(this.order === 'any' ? [...messages].sort((a, b) => a - b) : messages);
  }

  #id(list: readonly number[]): number {
    const key = list.join();
    const known = this.#ids.get(key);
    if (known !== undefined) return known;
    const id = this.#lists.length;
    this.#ids.set(key, id);
    this.#lists.push(list);
    return id;
  }
}

/**
 * Messages in flight as numbers: of the message alone or, in exact time, of the message and its
 * time of arrival.
 */
export class ParcelTable {
  readonly messages = new DataInterner<Message>();
  readonly #dues = new DataInterner<Due>();
  /** By message and time of arrival: the parcel. */
  readonly #ids = new PairTable();
  /** By parcel: its message, its time of arrival. */
  readonly #parts: (readonly [message: number, due: number])[] = [];

  id(message: Message, due?: Due): number {
    const content = this.messages.id(message);
    return due ? this.#with(content, due) : content;
  }

  message(parcel: number): Message {
    return this.messages.item(this.#parts[parcel]?.[0] ?? parcel);
  }

  /** Undefined in untimed runs. */
  due(parcel: number): Due | undefined {
    const part = this.#parts[parcel];
    return part && this.#dues.item(part[1]);
  }

  /** The parcel with another time of arrival. */
  at(parcel: number, due: Due): number {
    return this.#with(this.#parts[parcel]?.[0] ?? parcel, due);
  }

  #with(message: number, due: Due): number {
    const time = this.#dues.id(due);
    const known = this.#ids.get(message, time);
    if (known >= 0) return known;
    const id = this.#parts.length;
    this.#parts.push([message, time]);
    this.#ids.add(message, time, id);
    return id;
  }
}

/**
 * The local state of one node, its remaining commands, its clocks, and whether it is crashed: the
 * meaning of a slot of the vector.
 */
export interface NodeConfiguration extends Application {
  readonly state: LocalState;
  readonly crashed: boolean;
  /** In exact time. */
  readonly clock?: NodeClock;
}

type Environs = Omit<NodeConfiguration, 'state'>;

/** The configurations of one node as numbers: each is a local state and the rest. */
export class ConfigurationTable {
  readonly items: NodeConfiguration[] = [];
  readonly #rests = new DataInterner<Environs>();
  /** By state and rest: the configuration. */
  readonly #ids = new PairTable();
  /** By configuration: its state, its rest. */
  readonly #parts: number[] = [];

  constructor(private readonly states: DataInterner<LocalState>) {}

  id({ state, ...rest }: NodeConfiguration): number {
    return this.with(this.states.id(state), this.rest(rest));
  }

  item(place: number): NodeConfiguration {
    return this.items[place] as NodeConfiguration;
  }

  /** The number of the local state of a configuration. */
  stateOf(place: number): number {
    return this.#parts[2 * place] as number;
  }

  /** The number of the rest of a configuration. */
  restOf(place: number): number {
    return this.#parts[2 * place + 1] as number;
  }

  rest({ commands, fulfilled, crashed, clock }: Environs): number {
    return this.#rests.id({ commands, fulfilled, crashed, ...(clock && { clock }) });
  }

  /** The configuration of a local state and a rest, by their numbers. */
  with(state: number, rest: number): number {
    const known = this.#ids.get(state, rest);
    if (known >= 0) return known;
    const id = this.items.length;
    this.items.push({ state: this.states.item(state), ...this.#rests.item(rest) });
    this.#parts.push(state, rest);
    this.#ids.add(state, rest, id);
    return id;
  }
}

/** The rest of a world: the remaining budget of faults, the cut, and open choices. */
export type Environment = Pick<World, 'cut' | 'choosing' | 'starting'> & {
  readonly remaining: Omit<World['remaining'], 'commands' | 'fulfilled'>;
};

/** Without budget, cut and open choices. */
export const emptyEnvironment: Environment = {
  remaining: faults.perFault(() => 0),
  cut: [],
  choosing: [],
};

export function environmentOf({ cut, choosing, starting, remaining }: World): Environment {
  return {
    remaining: faults.perFault((name) => remaining[name]),
    cut,
    choosing,
    ...(starting && { starting }),
  };
}

/** An event that changes the environment. */
export type EnvironmentEvent =
  | { readonly type: keyof typeof events | faults.FaultName }
  /** A crash closes the open choices of its node. */
  | { readonly type: 'close'; readonly node: NodeId }
  | { readonly type: 'ask'; readonly asked: World['choosing'] };

export function afterEvent(environment: Environment, happening: EnvironmentEvent): Environment {
  const { remaining, choosing } = environment;
  if (happening.type === 'ask')
    // the choices that an answer leads to come first
    return { ...environment, choosing: [...happening.asked, ...choosing] };
  if (happening.type === 'answer')
    return afterStart({ ...environment, choosing: choosing.slice(1) }, choosing[0]?.node);
  if (happening.type === 'close')
    return { ...environment, choosing: choosing.filter(({ node }) => node !== happening.node) };
  if (happening.type === 'begin') return afterStart(environment);
  const fault = happening.type;
  const next = { ...environment, remaining: { ...remaining, [fault]: remaining[fault] - 1 } };
  return next.remaining.crashes > 0 ? next : afterStart(next);
}

/** Where `node`, or no node given, is no longer in the middle of its start. */
function afterStart({ starting, ...environment }: Environment, node?: NodeId): Environment {
  const left = node === undefined ? [] : starting?.filter((id) => id !== node);
  return left && left.length > 0 ? { ...environment, starting: left } : environment;
}

/** The actions that change the environment only. */
export const changesTheNetwork = ({ type }: Action): boolean => type === 'split' || type === 'heal';

/** The faults of channels but for losses, which the kernel knows, each with its bit. */
export const disturbances = faults.channelFaultRows
  .filter(({ action }) => action !== 'drop')
  .map((row, place) => ({ ...row, bit: allowed.otherFault << place }));

/** What the environment allows, as bits. */
export function permits({ remaining, cut, starting }: Environment): number {
  const bits: readonly (readonly [boolean, number])[] = [
    [remaining.losses > 0, allowed.lose],
    [remaining.crashes > 0, allowed.crash],
    [remaining.restarts > 0, allowed.restart],
    [cut.length > 0, allowed.cut],
    [cut.length > 0 || remaining.partitions > 0, allowed.splitOrHeal],
    [starting !== undefined, allowed.starting],
    ...disturbances.map(({ count, bit }) => [remaining[count] > 0, bit] as const),
  ];
  return bits.reduce((sum, [is, bit]) => (is ? sum | bit : sum), 0);
}
