import type { ConclaveError } from '../../../base/error.js';
import { partialSends } from '../../../channel/partial-sends.js';
import type { Stepper } from '../../../protocol/compiled/stepper.js';
import type { Command, Json, NodeId } from '../../../protocol/node.js';
import type { Step } from '../../../protocol/step.js';
import { LocalNode } from '../../worlds/local-node.js';
import { isStep } from '../../worlds/world.js';
import type { Worlds } from '../../worlds/worlds.js';
import type { Code } from '../kernel/code.js';
import * as part from '../kernel/format/step.js';
import type { ActionTable } from './action-table.js';
import { ConfigurationTable, type NodeConfiguration } from './configuration-table.js';
import type { EnvironmentEvent } from './environment.js';
import type { DataInterner } from './interner.js';
import type { LocalOutcome } from './local-outcome.js';
import { LocalSteps } from './local-steps.js';
import type { ParcelTable } from './parcels.js';

/** What the steps of a node are numbered by, and where they are stored. */
interface Numbered {
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
    private readonly numbers: Numbered,
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
        parcels.id(message, worlds.clockwork?.due(this.id, to, message)),
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
