import type { ConclaveError } from '../../base/error.js';
import { Random } from '../../base/random.js';
import { answerOf } from '../../protocol/answer.js';
import { viewOfNode } from '../../protocol/check-properties.js';
import type { Command, Json, Message, NodeId } from '../../protocol/node.js';
import { nodesAccepting } from '../../protocol/nodes-accepting.js';
import { commandsOf } from '../../protocol/optional-commands.js';
import type { Protocol } from '../../protocol/protocol.js';
import {
  fire,
  type LocalState,
  type Step,
  step,
  takes,
  uncheckedSteps,
} from '../../protocol/step.js';
import { breaksRules } from '../../protocol/unhandled-messages.js';
import { canonical, sameData } from '../worlds/canonical.js';
import { outside, type Renaming, restricted } from './data.js';
import type { Family } from './family.js';
import { type Detail, messageIn, stateIn } from './part.js';
import { textOf } from './text.js';
import { NumbersMatter, Unprovable } from './unprovable.js';

/** What a node reacts to. */
export type LocalEvent =
  | { readonly kind: 'command'; readonly command: Command }
  | { readonly kind: 'timeout'; readonly timer: string }
  | { readonly kind: 'message'; readonly from: NodeId; readonly message: Message };

export interface Sent {
  readonly to: NodeId;
  readonly message: Message;
}

/** A step of a node, without the numbers that views do not have; or why it fails. */
export type Taken =
  | { readonly failure?: undefined; readonly state: LocalState; readonly sends: readonly Sent[] }
  | { readonly failure: ConclaveError };

/** Drawn for numbers that are said to have no influence. */
const values = [
  ...Array.from({ length: 22 }, (_, index) => index - 1),
  0.5,
  31,
  64,
  100,
  1000,
  2 ** 31,
];
const draws = 4;
/** A number that views keep may have so many values. */
const mostValues = 40;

/**
 * The steps of nodes, by XState, each distinct one once. For each step, other numbers are drawn for
 * those that views forget: the rest of its result must be the same.
 */
export class LocalSteps {
  readonly #taken = new Map<string, Taken>();
  readonly #possible = new Map<string, readonly Command[]>();
  readonly #values = new Map<string, Set<number>>();
  /** All nodes, under their own names. */
  readonly everybody: Renaming;
  readonly #random = new Random(1);
  readonly #varied = new Set<string>();
  #turn = 0;
  readonly #commands: readonly Command[];
  /** The paths of the numbers that are not in a view. */
  readonly forgotten = new Set<string>();

  constructor(
    private readonly family: Family,
    private readonly detail: Detail,
  ) {
    const names = family.names(family.free.length);
    this.everybody = { all: new Set(names), names: new Map(names.map((id) => [id, id])) };
    const { protocol } = family;
    this.#commands = [...commandsOf(protocol, 'optional'), ...commandsOf(protocol, 'obligatory')];
  }

  get distinct(): number {
    return this.#taken.size;
  }

  /** What a node may be told in `state`, again and again. */
  possible(role: string, id: NodeId, state: LocalState): readonly Command[] {
    const key = `${role} ${id} ${textOf(state)}`;
    let known = this.#possible.get(key);
    if (!known) {
      known = this.#commandsIn(role, id, state);
      const names = canonical(known);
      this.#vary(
        role,
        state,
        undefined,
        (varied) => canonical(this.#commandsIn(role, id, varied)) === names,
      );
      this.#possible.set(key, known);
    }
    return known;
  }

  #commandsIn(role: string, id: NodeId, state: LocalState): readonly Command[] {
    const { protocol } = this.family;
    return this.#commands.filter((command) => {
      const { when } = protocol.commands[command.type] ?? {};
      if (!when) return takes(machineOf(protocol, role), state, command, id);
      if (!this.#accepts(role, command.type)) return false;
      const view = viewOfNode(protocol, id, role, state, undefined);
      return answerOf({ name: `when of '${command.type}'` }, when, view);
    });
  }

  readonly #accepting = new Map<string, boolean>();

  #accepts(role: string, type: string): boolean {
    const key = `${role} ${type}`;
    let known = this.#accepting.get(key);
    if (known === undefined) {
      const topology = this.family.largest;
      const ids = nodesAccepting(this.family.protocol, topology, type);
      known = ids.some((id) => this.family.protocol.roleOf(id, topology) === role);
      this.#accepting.set(key, known);
    }
    return known;
  }

  /** The step of a node of `role`. */
  take(role: string, state: LocalState, event: LocalEvent): Taken {
    const key = `${role} ${textOf(state)} ${eventKey(event)}`;
    let known = this.#taken.get(key);
    if (!known) {
      if (this.detail.stop()) throw new Unprovable('interrupted');
      known = this.#run(role, state, event);
      const result = shownOf(known);
      this.#vary(role, state, event, (variedState, variedEvent = event) =>
        sameData(shownOf(this.#run(role, variedState, variedEvent, uncheckedSteps)), result),
      );
      this.#countValues(role, known);
      this.#taken.set(key, known);
    }
    return known;
  }

  /** A first step, and what else is to be seen without the forgotten numbers. */
  settled(role: string, { state, effects }: Step): Taken {
    const sends: Sent[] = [];
    for (const effect of effects) {
      if (effect.type === 'choose')
        throw new Unprovable('its nodes choose or draw, and views know no choices yet');
      if (effect.type !== 'send') continue;
      const message = messageIn(effect.message, this.everybody, this.detail);
      if (effect.to !== outside && !this.everybody.all.has(effect.to))
        throw new Unprovable(`a node sends to '${effect.to}', which is no node`);
      sends.push({ to: effect.to, message });
    }
    return { state: stateIn(role, state, this.everybody, this.detail), sends };
  }

  #run(role: string, state: LocalState, event: LocalEvent, by = checkedSteps): Taken {
    const machine = machineOf(this.family.protocol, role);
    try {
      const taken =
        event.kind === 'timeout'
          ? by.fire(machine, role, state, event.timer)
          : by.step(machine, role, state, heard(event));
      return this.settled(role, taken);
    } catch (failure) {
      if (breaksRules(failure)) return { failure };
      throw failure;
    }
  }

  /** Whether `isSame` for other numbers at the paths that views forget. */
  #vary(
    role: string,
    state: LocalState,
    event: LocalEvent | undefined,
    isSame: (state: LocalState, event?: LocalEvent) => boolean,
  ): void {
    const paths = new Set<string>();
    const note = (path: string, value: number) => {
      if (!this.detail.kept.has(path)) paths.add(path);
      return value;
    };
    this.#withNumbers(role, state, event, note);
    if (paths.size === 0) return;
    for (const path of paths) this.forgotten.add(path);
    const isSameFor = (among: ReadonlySet<string>, given?: number) => {
      const [varied, variedEvent] = this.#withNumbers(role, state, event, (path, value) =>
        among.has(path) ? (given ?? this.#number()) : value,
      );
      return isSame(varied, variedEvent);
    };
    const kind = `${role} ${JSON.stringify(state.value)} ${event ? kindOf(event) : ''}`;
    if (!this.#varied.has(kind)) {
      // the first step of its kind: each number alone, and all of them, have each of the values
      this.#varied.add(kind);
      const sets = [...[...paths].map((path) => new Set([path])), paths];
      const matters = sets.find((among) => values.some((value) => !isSameFor(among, value)));
      if (matters) throw new NumbersMatter([...matters]);
    }
    for (let draw = 0; draw < draws; draw++)
      if (!isSameFor(paths)) throw new NumbersMatter(this.#responsible(paths, isSameFor));
  }

  /** One of `values`, or of the numbers up to 529, which take turns. */
  #number(): number {
    return this.#random.chance(0.5) ? this.#random.pick(values) : 21 + (this.#turn++ % 509);
  }

  #responsible(
    paths: ReadonlySet<string>,
    isSameFor: (among: ReadonlySet<string>) => boolean,
  ): readonly string[] {
    const alone = [...paths].filter((path) =>
      Array.from({ length: 3 * draws }).some(() => !isSameFor(new Set([path]))),
    );
    return alone.length > 0 ? alone : [...paths];
  }

  #withNumbers(
    role: string,
    state: LocalState,
    event: LocalEvent | undefined,
    numberAt: (path: string, value: number) => number,
  ): [LocalState, LocalEvent | undefined] {
    const data = (value: Json, path: string) => restricted(value, this.everybody, numberAt, path);
    const context = data(state.context, role) as LocalState['context']; // a record stays one
    if (event?.kind !== 'message') return [{ ...state, context }, event];
    const { message } = event;
    const fields = data(message as unknown as Json, message.type) as unknown as Message; // so here
    return [
      { ...state, context },
      { ...event, message: { ...fields, type: message.type } },
    ];
  }

  /** @throws {Unprovable} where a number on which steps depend has too many values. */
  #countValues(role: string, taken: Taken): void {
    if (taken.failure) return;
    const count = (path: string, value: number) => {
      if (!this.detail.kept.has(path)) return value;
      const seen = this.#values.get(path) ?? new Set();
      this.#values.set(path, seen.add(value));
      if (seen.size > mostValues)
        throw new Unprovable(
          `the number '${path}' grows, steps depend on it, and views know no order of numbers yet`,
        );
      return value;
    };
    restricted(taken.state.context, this.everybody, count, role);
    for (const { message } of taken.sends)
      restricted(message as unknown as Json, this.everybody, count, message.type);
  }
}

const checkedSteps = { step, fire };

const heard = (event: Exclude<LocalEvent, { readonly kind: 'timeout' }>): { type: string } =>
  event.kind === 'command' ? event.command : Object.assign({ from: event.from }, event.message);

const eventKey = (event: LocalEvent): string =>
  event.kind === 'message'
    ? `${event.from} ${textOf(event.message)}`
    : event.kind === 'command'
      ? textOf(event.command)
      : `timer ${event.timer}`;

const kindOf = (event: LocalEvent): string =>
  event.kind === 'message'
    ? event.message.type
    : event.kind === 'command'
      ? event.command.type
      : event.timer;

const shownOf = (taken: Taken) => (taken.failure ? { failure: taken.failure.code } : taken);

function machineOf({ roles }: Protocol, role: string) {
  const machine = roles[role]?.machine;
  if (!machine) throw new Unprovable(`there is no role '${role}'`);
  return machine;
}
