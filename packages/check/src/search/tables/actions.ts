/**
 * The actions of a system as numbers, and the entries of the tables that say where they are
 * possible: those of one node depend on its configuration, those of the network on contents and
 * environment.
 */

import { type faults, partialSends, unlabelled } from '@conclave/core/internal';
import type { Command, ConclaveError, Json, NodeId, Protocol, Step } from '@conclave/core/protocol';
import type { Link } from '@conclave/core/topology';
import { canonical } from '../../worlds/canonical.js';
import { crosses, unsentOf } from '../../worlds/in-flight.js';
import { LocalNode, type Stepper } from '../../worlds/local-node.js';
import { type Action, isStep, type World } from '../../worlds/world.js';
import type { Worlds } from '../../worlds/worlds.js';
import * as allowed from '../kernel/format/allowed.js';
import * as part from '../kernel/format/step.js';
import type { Code } from '../kernel/kernel.js';
import type { LocalOutcome } from './confirm.js';
import {
  ConfigurationTable,
  type ContentTable,
  changesTheNetwork,
  disturbances,
  type Environment,
  type EnvironmentEvent,
  environmentOf,
  type NodeConfiguration,
  type ParcelTable,
  permits,
} from './encoding.js';
import { DataInterner, Interner } from './interner.js';
import { LocalSteps } from './local-steps.js';

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

/** What the steps of a node are numbered by, and where they are stored. */
interface NodeTables {
  readonly worlds: Worlds;
  readonly actions: ActionTable;
  readonly parcels: ParcelTable;
  readonly events: DataInterner<EnvironmentEvent>;
  readonly code: Code;
  /** By step that fails. */
  readonly errors: Map<number, ConclaveError>;
}

/** What a step changes of a configuration besides the local state. */
interface Change {
  readonly command?: Command;
  readonly crashed?: boolean;
}

/** The steps of one node from its configurations, as numbers. */
export class NodeActions {
  readonly steps: LocalSteps;
  readonly configurations: ConfigurationTable;
  /** By command: the number of its action. */
  readonly #commands = new Map<Command, number>();
  /** By configuration: whether the node may crash in it, as the budget has answered once. */
  readonly #mayCrash: boolean[] = [];
  /** By receiver: the slot of the channel to it. */
  readonly #slots: ReadonlyMap<NodeId, number>;

  constructor(
    private readonly numbers: NodeTables,
    readonly id: NodeId,
    stepper: Stepper,
  ) {
    const { worlds, actions } = numbers;
    const { nodes, links } = worlds.topology;
    this.#slots = new Map(
      links.flatMap(({ from, to }, channel) =>
        from === id ? [[to, nodes.length + channel] as const] : [],
      ),
    );
    const node = LocalNode.of(worlds, id, stepper);
    this.steps = new LocalSteps(
      node,
      (action) => actions.item(action),
      (step) => this.#sends(step),
    );
    this.configurations = new ConfigurationTable(this.steps.states);
  }

  /** The steps of its commands, then of its time-outs. */
  own(number: number): readonly number[] {
    const { state, crashed, clock, ...application } = this.configurations.item(number);
    if (crashed) return [];
    const { id: node } = this;
    const { worlds, actions } = this.numbers;
    const commands = worlds
      .commandsFor(this.steps.node, state, application, clock)
      .map((command) => {
        const action =
          this.#commands.get(command) ?? actions.id({ type: 'command', node, command });
        this.#commands.set(command, action);
        return this.step(number, action, { command });
      });
    const due = worlds.dueTimers(state, clock);
    return [
      ...commands,
      ...due.map(({ id: timer }) =>
        this.step(number, actions.id({ type: 'timeout', node, timer })),
      ),
    ];
  }

  answer(number: number, value: Json): number {
    return this.step(number, this.numbers.actions.id({ type: 'choose', node: this.id, value }));
  }

  crash(number: number): number {
    return this.step(number, this.numbers.actions.id({ type: 'crash', node: this.id }), {
      crashed: true,
    });
  }

  restart(number: number): number {
    return this.step(number, this.numbers.actions.id({ type: 'restart', node: this.id }), {
      crashed: false,
    });
  }

  /** Whether the node may crash in a configuration. */
  mayCrash(number: number): boolean {
    const known = this.#mayCrash[number];
    if (known !== undefined) return known;
    const may = this.numbers.worlds.mayCrash(this.id, this.configurations.item(number).state);
    this.#mayCrash[number] = may;
    return may;
  }

  /** What {@link mayCrash} has answered for a configuration; undefined if it was not asked. */
  knownMayCrash(number: number): boolean | undefined {
    return this.#mayCrash[number];
  }

  /**
   * The steps by which the node crashes in the middle of a step; see `partialSends`. After an
   * answer, the first one loses nothing: if more is asked.
   */
  inside(step: number): readonly number[] {
    const { code, actions, worlds, events } = this.numbers;
    const [number, place = 0, end = 0, rare] = code.numbers.subarray(step, step + part.sends);
    const during = actions.item(number as number); // of the step
    if (!isStep(during) || !this.mayCrash(place)) return [];
    const sends = pairs(code.numbers.subarray(step + part.sends, end));
    const down = this.crash(place);
    const [, crashed = 0, downEnd = 0] = code.numbers.subarray(down, down + part.rare);
    const notices = [...code.numbers.subarray(down + part.sends, downEnd)];
    const groups = sends.map(([slot, parcel]) =>
      worlds.order === 'fifo' ? slot : `${slot} ${parcel}`,
    );
    const closes =
      during.type === 'choose' ? part.firstEvent + events.id({ type: 'close', node: this.id }) : 0;
    return partialSends(groups)
      .filter((lost) => rare !== 0 || during.type === 'choose' || lost.length > 0)
      .map((lost) => {
        const left = sends.flatMap((send, position) => (lost.includes(position) ? [] : send));
        const action = actions.id({ type: 'crash', node: this.id, during, lost });
        return this.#write(action, crashed, closes, [...left, ...notices]);
      });
  }

  /**
   * Stores a step of a configuration; `change`: what it changes besides the local state; `taken`:
   * the action as the node takes it.
   */
  step(number: number, action: number, change: Change = {}, taken = action): number {
    const { errors } = this.numbers;
    const places = this.configurations;
    const { state, sends, choices, armed, error } = this.steps.outcome(
      places.stateOf(number),
      taken,
    );
    const rest = error ? places.restOf(number) : this.#restAfter(number, state, change, armed);
    const rare = error ? part.fails : choices.length > 0 ? part.firstEvent + this.#ask(choices) : 0;
    const start = this.#write(action, places.with(state, rest), rare, sends);
    if (error) errors.set(start, error);
    return start;
  }

  #write(action: number, place: number, rare: number, sends: readonly number[]): number {
    const { code } = this.numbers;
    return code.write([action, place, code.end + part.sends + sends.length, rare, ...sends]);
  }

  /** The rest of a configuration, besides the local state, after a step to `state`. */
  #restAfter(
    number: number,
    state: number,
    { command, crashed }: Change,
    armed: readonly string[],
  ): number {
    const places = this.configurations;
    const place: NodeConfiguration = places.item(number);
    const { clockwork, commands } = this.numbers.worlds;
    if (
      !clockwork &&
      command === undefined &&
      crashed === undefined &&
      place.fulfilled.length === 0
    )
      return places.restOf(number);
    const next = this.steps.states.item(state);
    const left = crashed
      ? { ...place, fulfilled: [] }
      : commands.after(this.id, next, place, command);
    const isDown = crashed ?? place.crashed;
    const clock =
      clockwork &&
      (isDown ? clockwork.stopped : clockwork.after(place.state, place.clock, next, armed));
    return places.rest({ ...left, crashed: isDown, ...(clock && { clock }) });
  }

  #ask(asked: LocalOutcome['choices']): number {
    return this.numbers.events.id({
      type: 'ask',
      asked: asked.map((choice) => ({ node: this.id, ...choice })),
    });
  }

  #sends({ effects }: Step): readonly number[] {
    const { parcels, worlds } = this.numbers;
    const sends: number[] = [];
    for (const effect of effects) {
      if (effect.type !== 'send') continue;
      const { to, message } = effect;
      sends.push(
        this.#slots.get(to) ?? -1,
        parcels.id(message, worlds.dueOf(this.id, to, message)),
      ); // LocalNode has refused a send without a channel
    }
    return sends;
  }
}

/** Numbers by two: a slot and a message. */
const pairs = (numbers: Int32Array): readonly (readonly [number, number])[] =>
  Array.from({ length: numbers.length / 2 }, (_, index) => [
    numbers[2 * index] as number,
    numbers[2 * index + 1] as number,
  ]);

/** What the actions of the network are numbered by. */
interface NetworkTables {
  readonly worlds: Worlds;
  readonly actions: ActionTable;
  readonly parcels: ParcelTable;
  readonly contents: ContentTable;
  readonly environments: DataInterner<Environment>;
  readonly events: DataInterner<EnvironmentEvent>;
  /** What choices offer. */
  readonly values: DataInterner<Json>;
  readonly nodeIndex: ReadonlyMap<NodeId, number>;
}

/** The actions of the channels and of the environment, as numbers. */
export class NetworkActions {
  readonly #links: readonly Link[];
  /** By channel and message: the number of the delivery. */
  readonly #deliveries: readonly number[][];

  constructor(private readonly numbers: NetworkTables) {
    this.#links = numbers.worlds.topology.links;
    this.#deliveries = this.#links.map(() => []);
  }

  /** The number of the delivery of a message in flight on a channel. */
  delivery(channel: number, parcel: number): number {
    const deliveries = this.#deliveries[channel] as number[];
    const known = deliveries[parcel];
    if (known !== undefined) return known;
    const action = this.on(channel, 'deliver', parcel);
    deliveries[parcel] = action;
    return action;
  }

  /** The number of an action on a channel; `of`: what else it says. */
  on(channel: number, type: 'deliver' | faults.ChannelFault, parcel: number, of = {}): number {
    const { from, to } = this.#links[channel] as Link;
    const { actions, parcels } = this.numbers;
    const due = parcels.due(parcel);
    const message = parcels.message(parcel);
    return actions.id({ type, from, to, message, ...(due && { due }), ...of });
  }

  /**
   * What a channel with this content may do to a message of it, besides losing it: what allows it,
   * action, next content, event …
   */
  disturbances(channel: number, content: number, parcel: number): readonly number[] {
    const { worlds, parcels, contents, events } = this.numbers;
    const list = contents.list(content);
    const place = list.indexOf(parcel);
    return disturbances
      .filter(({ count }) => worlds.initial.remaining[count] > 0)
      .flatMap(({ action, bit, count, leaves }) => {
        const left = leaves(parcels.message(parcel)).map((one) =>
          parcels.id(one, parcels.due(parcel)),
        );
        return [
          ...[bit, this.on(channel, action, parcel)],
          ...[contents.of(list.toSpliced(place, 1, ...left)), events.id({ type: count })],
        ];
      });
  }

  /**
   * The messages of a content that the crash of its sender may lose next: action, remaining
   * content, action …
   */
  unsent(channel: number, content: number): readonly number[] {
    const { worlds, parcels, contents } = this.numbers;
    const list = contents.list(content);
    const isNotice = (parcel: number) => worlds.isNotice(parcels.message(parcel));
    const isSame = (one: number, other: number) => list[one] === list[other];
    return unsentOf(list, { isNotice, isSame, order: worlds.order }).flatMap((unsent) => {
      const action = this.on(channel, 'drop', list[unsent] as number, { unsent });
      return [action, contents.of(list.toSpliced(unsent, 1))];
    });
  }

  /**
   * For the Expander: what an environment allows, which channels are cut; then an open choice, or
   * actions of the network and their results.
   */
  environment(number: number): readonly number[] {
    const { worlds, actions, environments, nodeIndex, values } = this.numbers;
    const environment = environments.item(number);
    const { remaining, cut, choosing } = environment;
    const cuts = this.#links.map((link) => (crosses(cut, link) ? 1 : 0));
    const [choice, ...open] = choosing;
    const isAskedAgain = open.some(({ node }) => node === choice?.node);
    if (choice)
      return [
        allowed.choose |
          (permits(environment) & (allowed.cut | allowed.crash | allowed.starting)) |
          (isAskedAgain ? allowed.chooseAgain : 0),
        ...cuts,
        nodeIndex.get(choice.node) ?? -1,
        ...choice.options.map((value) => values.id(value)),
      ];
    const { starting: _, ...initial } = worlds.initial;
    const world: World = {
      ...initial,
      ...environment,
      channels: {},
      remaining: { ...remaining, commands: {}, fulfilled: {} },
    };
    const changes = worlds.actions(world).filter(changesTheNetwork);
    return [
      permits(environment),
      ...cuts,
      ...changes.flatMap((action) => [
        actions.id(action),
        environments.id(environmentOf(worlds.next(world, action))),
      ]),
    ];
  }
}
