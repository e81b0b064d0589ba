import { ConclaveError } from '../../base/error.js';
import { answerOf } from '../../protocol/answer.js';
import { viewOfNode } from '../../protocol/check-properties.js';
import type { Command, Json, NodeId } from '../../protocol/node.js';
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
import { canonical } from '../worlds/canonical.js';
import { outside, type Renaming } from './data.js';
import type { Family } from './family.js';
import type { LocalEvent, Sent, Taken } from './local-event.js';
import { type Cause, Numbers } from './numbers.js';
import { OrderCheck } from './order-check.js';
import { OrderedNumbers } from './ordered-numbers.js';
import { type Detail, messageIn, stateIn } from './part.js';
import { starsIn } from './ring-names.js';
import { textOf } from './text.js';
import { Unprovable } from './unprovable.js';
import { spacings } from './weak-orders.js';

interface LocalStep {
  readonly role: string;
  readonly state: LocalState;
  readonly event: LocalEvent;
  readonly outcomes: readonly Taken[];
}

/**
 * The steps of nodes, by XState, each distinct one once, with all its outcomes: a step on numbers that
 * are guessed may have several.
 */
export class LocalSteps {
  readonly #taken = new Map<string, LocalStep>();
  readonly #possible = new Map<string, readonly Command[]>();
  /** All nodes, under their own names. */
  readonly everybody: Renaming;
  readonly #commands: readonly Command[];
  readonly numbers: Numbers;
  readonly ordered: OrderedNumbers;
  readonly #orders: OrderCheck;

  constructor(
    private readonly family: Family,
    readonly detail: Detail,
  ) {
    const names = family.names(family.free.length);
    this.everybody = { all: new Set(names), names: new Map(names.map((id) => [id, id])) };
    this.numbers = new Numbers(detail, this.everybody);
    this.ordered = new OrderedNumbers(detail, this.everybody);
    this.#orders = new OrderCheck(this.ordered, detail);
    const { protocol } = family;
    this.#commands = [...commandsOf(protocol, 'optional'), ...commandsOf(protocol, 'obligatory')];
  }

  /** Each distinct step that was taken. */
  get all(): readonly LocalStep[] {
    return [...this.#taken.values()];
  }

  /** What a node may do without a message. */
  ownEvents(role: string, id: NodeId, state: LocalState): readonly LocalEvent[] {
    return [
      ...this.possible(role, id, state).map((command) => ({ kind: 'command', command }) as const),
      ...state.timers.map(({ id: timer }) => ({ kind: 'timeout', timer }) as const),
    ];
  }

  /** What a node may be told in `state`, again and again. */
  possible(role: string, id: NodeId, state: LocalState): readonly Command[] {
    const key = `${role} ${id} ${textOf(state)}`;
    let known = this.#possible.get(key);
    if (!known) {
      const kind = `${role} ${JSON.stringify(state.value)}`;
      const results = this.#outcomes(
        role,
        kind,
        this.#doubled(role, [state, undefined])[0],
        ([guess]) => this.#commandsIn(role, id, guess),
      );
      known = this.#commands.filter((command) => results.some((some) => some.includes(command)));
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

  /** The step of a node of `role`: its outcomes. One step stands for all with numbers in one order. */
  take(role: string, state: LocalState, event: LocalEvent): readonly Taken[] {
    const [[doubled, heardOf = event], values] = this.#doubled(role, [state, event]);
    const outcomes = this.takeDoubled(role, doubled, heardOf);
    if (values.length === 0) return outcomes;
    return outcomes.map((taken) =>
      this.ordered.taken(role, taken, (value) => (values[value >> 1] ?? 0) + (value & 1)),
    );
  }

  /**
   * The same cause, with numbers for the ranks: all that differ in how the numbers of the outcomes
   * compare with those of the cause.
   */
  spaced(role: string, cause: Cause): readonly Cause[] {
    const { ordered } = this;
    if (ordered.areNone) return [cause];
    const [[state, event], values] = this.#doubled(role, cause);
    const outcomes = event ? this.takeDoubled(role, state, event) : [];
    const grown = ordered.grownIn((see) =>
      outcomes.map((taken) => ordered.taken(role, taken, see)),
    );
    return spacings(values.length, grown).map((numbers) =>
      ordered.cause(role, [state, event], (rank) => numbers[rank / 2] ?? 0),
    );
  }

  /** A cause with doubled ranks, so that an outcome shows which of them is one larger; the numbers. */
  #doubled(role: string, cause: Cause): readonly [Cause, readonly number[]] {
    const { cause: ranked, values } = this.ordered.ranked(role, cause);
    return [
      values.length < 2 ? ranked : this.ordered.cause(role, ranked, (rank) => 2 * rank),
      values,
    ];
  }

  /** The same of a cause with doubled ranks. */
  takeDoubled(role: string, state: LocalState, event: LocalEvent): readonly Taken[] {
    const key = `${role} ${textOf(state)} ${eventKey(event)}`;
    let known = this.#taken.get(key);
    if (!known) {
      if (this.detail.stop()) throw new Unprovable('interrupted');
      const kind = `${role} ${JSON.stringify(state.value)} ${kindOf(event)}`;
      const outcomes = this.#outcomes(role, kind, [state, event], ([guess, heardOf = event], by) =>
        this.#run(role, guess, heardOf, by),
      );
      known = { role, state, event, outcomes };
      this.#taken.set(key, known);
    }
    return known.outcomes;
  }

  /** The cause with each value of the numbers that are guessed. */
  guessesOf(role: string, cause: Cause): readonly Cause[] {
    return this.numbers.guesses(role, 'guesses of a cause', cause).guesses;
  }

  /** A step on these very numbers; without event, what the node may be told. Nothing is compared. */
  takeOnce(role: string, id: NodeId, [state, event]: Cause): Taken | readonly Command[] {
    return event
      ? this.#run(role, state, event, uncheckedSteps)
      : this.#commandsIn(role, id, state);
  }

  /** What `run` makes of a cause with the numbers that are guessed; no others may matter. */
  #outcomes<T extends object>(
    role: string,
    kind: string,
    cause: Cause,
    run: (cause: Cause, by: typeof checkedSteps) => T,
  ): readonly T[] {
    const outcomes = new Map<string, T>();
    const textAfter = (other: Cause) => canonical(shownOf(run(other, uncheckedSteps)));
    const { guesses, probes } = this.numbers.guesses(role, kind, cause);
    for (const guess of guesses) {
      const outcome = run(guess, outcomes.size === 0 ? checkedSteps : uncheckedSteps);
      const text = canonical(shownOf(outcome));
      if (outcomes.has(text)) continue;
      outcomes.set(text, outcome);
      const ofOutcome = `${kind} ${outcomes.size}`;
      this.numbers.vary(role, ofOutcome, guess, (varied) => textAfter(varied) === text);
      this.#orders.require(
        role,
        kind,
        guess,
        outcome,
        (other, expected) => textAfter(other) === canonical(shownOf(expected)),
      );
    }
    for (const probe of probes)
      if (!outcomes.has(textAfter(probe))) this.numbers.learn(role, probe);
    return [...outcomes.values()];
  }

  /** A first step, or that of a cause, without the forgotten numbers. */
  settled(role: string, { state, effects }: Step, cause?: Cause): Taken {
    const sends: Sent[] = [];
    const made: [Json, string][] = [[state.context, role]];
    const before = cause ? starsIn(cause as unknown as Json) : 0; // it is data
    for (const effect of effects) {
      if (effect.type === 'choose')
        throw new Unprovable('its nodes choose or draw, and views know no choices yet');
      if (effect.type !== 'send') continue;
      const message = messageIn(effect.message, this.everybody, this.detail);
      made.push([effect.message as unknown as Json, message.type]); // a record is data
      if (effect.to !== outside && !this.everybody.all.has(effect.to))
        throw new Unprovable(`a node sends to '${effect.to}', which is no node`);
      sends.push({ to: effect.to, message });
    }
    if (before === 0 && made.some(([data]) => starsIn(data) > 0))
      throw new Unprovable(`a node uses '${outside}', which stands for nodes outside of a view`);
    this.numbers.note(made, role, cause);
    return { state: stateIn(role, state, this.everybody, this.detail), sends };
  }

  #run(role: string, state: LocalState, event: LocalEvent, by = checkedSteps): Taken {
    const machine = machineOf(this.family.protocol, role);
    try {
      const taken =
        event.kind === 'timeout'
          ? by.fire(machine, role, state, event.timer)
          : by.step(machine, role, state, heard(event));
      return this.settled(role, taken, [state, event]);
    } catch (failure) {
      if (breaksRules(failure)) return { failure };
      throw failure;
    }
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

/** What of a result must be the same: of an error its code. */
const shownOf = (outcome: object): object =>
  'failure' in outcome && outcome.failure instanceof ConclaveError
    ? { failure: outcome.failure.code }
    : outcome;

function machineOf({ roles }: Protocol, role: string) {
  const machine = roles[role]?.machine;
  if (!machine) throw new Unprovable(`there is no role '${role}'`);
  return machine;
}
