/** How all properties of a system stand at each moment of one run, standard ones included. */

import {
  answerOf,
  checkProperties,
  everyMessageHandled,
  noStepFails,
  violatedBy,
  waitingOf,
} from '@conclave/core/internal';
import { Tracker, trackerOf } from '@conclave/core/internal/judge';
import type { LocalState, Message, NodeId, Property } from '@conclave/core/protocol';
import { ConclaveError } from '@conclave/core/protocol';
import { listed } from '../base/listed.js';
import { withoutChance } from '../base/resumable.js';
import { noDeadlock } from '../worlds/standard-properties.js';
import type { Action, World } from '../worlds/world.js';
import { worldKey } from '../worlds/world-key.js';
import { nextOrFault, type Worlds } from '../worlds/worlds.js';
import { nodeOf, Position } from './position.js';

type Outcome = ReturnType<Tracker['now']>;
type Reason = ReturnType<Outcome['explain']>;
type Loop = Parameters<Tracker['repeated']>[1];

const isTrue = (reason: string): Outcome => ({
  value: 'true',
  explain: () => ({ reason, nodes: [] }),
});
const isFalse = (reason: string, nodes: readonly NodeId[]): Outcome => ({
  value: 'false',
  explain: () => ({ reason, nodes }),
});

/** How a property stands at one moment of one run. */
export interface Standing extends Reason, Pick<Outcome, 'value'> {
  readonly name: string;
  readonly kind: Property['kind'];
  /** The property could not be evaluated. */
  readonly error?: ConclaveError;
}

type Judged = Pick<Standing, 'name' | 'kind'>;

/** A property on a run: its tracker, a standard property, or why it could not be evaluated. */
type Entry = Tracker | Standard | ConclaveError;

/** A run up to one of its worlds, judged; immutable, so that runs may branch. */
export class JudgedRun {
  readonly #standings: (Standing | undefined)[] = [];

  constructor(
    readonly position: Position,
    readonly entries: readonly Entry[],
    private readonly judged: readonly Judged[],
  ) {}

  /** How the properties stand, in their order; the standard ones last. */
  get standings(): readonly Standing[] {
    return withoutChance(() => this.judged.map((_, index) => this.standing(index)));
  }

  /** How the property at this position stands. Evaluated once. */
  standing(index: number): Standing {
    this.#standings[index] ??= standingOf(
      this.judged[index] as Judged, // an index of `standings`
      this.position,
      () => this.#outcome(index),
    );
    return this.#standings[index];
  }

  /** Whether the property at this position is false. `ends`: if the run ends here. */
  isFalse(index: number, ends = this.position.isQuiescent): boolean {
    const outcome = attempt(() => this.#outcome(index, ends));
    return !(outcome instanceof ConclaveError) && outcome.value === 'false';
  }

  #outcome(index: number, ends = this.position.isQuiescent): Outcome {
    const { position } = this;
    const entry = this.entries[index] as Entry; // likewise
    if (entry instanceof ConclaveError) throw entry;
    if (!(entry instanceof Tracker)) return entry.at(position);
    if (entry.decided) return entry.decided;
    return ends ? entry.ended(position.view) : entry.now(position.view);
  }
}

/**
 * Judges runs of a system step by step: how each property stands on the run so far, whom to blame
 * and who is awaited. A run that ends in a quiescent world, or repeats forever, decides the
 * properties of runs; otherwise they stay true or undecided. The standard properties are judged as
 * well.
 *
 * @example const judge = new RunJudge(worlds); const [action] = worlds.actions(worlds.initial);
 * judge.after(judge.begin(), action, worlds.next(worlds.initial, action)).standings.filter(({ value
 * }) => value === 'false')
 */
export class RunJudge {
  readonly #judged: readonly Judged[];
  readonly #standards: readonly Standard[];

  /** @throws {ConclaveError} `bad-input` for properties that cannot be of this protocol. */
  constructor(
    private readonly worlds: Worlds,
    private readonly properties: readonly Property[] = worlds.protocol.properties,
  ) {
    const { protocol, topology } = worlds;
    if (properties !== protocol.properties) checkProperties(protocol, properties, topology);
    this.#standards = standardsOf(worlds);
    this.#judged = [
      ...properties.map(({ name, kind }) => ({ name, kind })),
      ...this.#standards.map(({ name }) => ({ name, kind: 'always' as const })),
    ];
  }

  /** The run in its initial world. */
  begin(): JudgedRun {
    const trackers = this.properties.map((property) => trackerOf(property, this.worlds.protocol));
    return this.#at(new Position(this.worlds, this.worlds.initial), [
      ...trackers,
      ...this.#standards,
    ]);
  }

  /**
   * The run after one more action. `next`: the world after it, or the error of a machine that
   * cannot take it: then the run goes no further.
   */
  after({ position: from, entries }: JudgedRun, action: Action, next: World | ConclaveError) {
    const taken = { from, action };
    const position =
      next instanceof ConclaveError
        ? new Position(this.worlds, from.world, taken, next)
        : new Position(this.worlds, next, taken);
    return this.#at(position, entries);
  }

  /**
   * The run if its last worlds repeat forever: `last` has the world of `first`, where they begin,
   * and lies behind it on the same run. If both are one, nothing more happens. Which of these runs
   * count is up to fairness.
   *
   * @returns undefined where the worlds differ.
   */
  repeated(first: JudgedRun, last: JudgedRun): readonly Standing[] | undefined {
    const { order } = this.worlds;
    const [from, to] = [first.position, last.position];
    if (to.fault || (from !== to && worldKey(from.world, order) !== worldKey(to.world, order)))
      return undefined;
    const steps: Position[] = [];
    for (let at = to; at !== from; at = at.taken.from) {
      steps.unshift(at);
      if (!at.taken) return undefined;
    }
    const loop: Loop = {
      system: to.view,
      systems: steps.map(({ view }) => view),
      round: (tracker) => {
        for (const step of steps) step.tell(tracker);
      },
    };
    const outcomeOf = (entry: Entry, begun: Entry | undefined): Outcome => {
      if (entry instanceof ConclaveError) throw entry;
      if (!(entry instanceof Tracker)) return entry.repeated(to, steps);
      return entry.decided ?? entry.repeated(begun as Tracker, loop); // of the same property
    };
    return this.#judged.map((judged, index) =>
      standingOf(judged, to, () => outcomeOf(last.entries[index] as Entry, first.entries[index])),
    );
  }

  /** The run at its next position, after these entries. */
  #at(position: Position, before: readonly Entry[]): JudgedRun {
    const told = (entry: Entry): Entry => {
      if (!(entry instanceof Tracker) || entry.decided) return entry;
      return attempt(() => {
        const copy = entry.copy();
        position.tell(copy);
        return copy;
      });
    };
    return new JudgedRun(
      position,
      withoutChance(() => before.map(told)),
      this.#judged,
    );
  }
}

/** A property that fails stays undecided. */
function standingOf(judged: Judged, { worlds }: Position, outcomeOf: () => Outcome): Standing {
  const found = attempt(() =>
    withoutChance(() => {
      const { value, explain } = outcomeOf();
      return { value, ...explain(worlds.protocol) };
    }),
  );
  return found instanceof ConclaveError
    ? { ...judged, value: 'undecided', reason: found.message, nodes: [], error: found }
    : { ...judged, ...found };
}

function attempt<T>(make: () => T): T | ConclaveError {
  try {
    return make();
  } catch (error) {
    if (error instanceof ConclaveError) return error;
    throw error;
  }
}

/** A property that every protocol is checked for: the present position decides it. */
interface Standard {
  readonly name: string;
  readonly at: (position: Position) => Outcome;
  /** If these positions come again and again. */
  readonly repeated: (position: Position, loop: readonly Position[]) => Outcome;
}

/** Those of a protocol, in their order. */
export function standardsOf(worlds: Worlds): readonly Standard[] {
  const failures = new Failures(worlds);
  return [
    ...(worlds.budget.unexpected === 'discard' ? [] : [noFault(everyMessageHandled, failures)]),
    ...(worlds.protocol.waiting === false ? [] : [noDeadlocks]),
    noFault(noStepFails, failures),
  ];
}

/** False where some action fails in this way that is possible, as the explorer has it. */
function noFault(name: string, failures: Failures): Standard {
  const at = (position: Position): Outcome => {
    const { fault, actor } = position;
    if (fault && violatedBy(fault, position.worlds.budget.unexpected) === name)
      return isFalse(fault.message, actor === undefined ? [] : [actor]);
    const failure = failures.firstIn(position, name);
    if (failure) return isFalse(failure.error.message, [failure.node]);
    return isTrue(
      name === everyMessageHandled
        ? 'Each message that can arrive is handled.'
        : 'Each step that can be taken succeeds.',
    );
  };
  const repeated = (position: Position, loop: readonly Position[]) =>
    loop.map(at).find(({ value }) => value === 'false') ?? at(position);
  return { name, at, repeated };
}

const goesOn = isTrue('Something can still happen.');

const noDeadlocks: Standard = {
  name: noDeadlock,
  at: (position) => {
    if (position.fault) return isTrue('The run goes no further than the fault.');
    if (!position.isQuiescent) return goesOn;
    const waiting = waitingOf(position.worlds.protocol);
    const stuck = waiting
      ? position.view.nodes.filter(
          (node) => !node.crashed && answerOf({ name: noDeadlock }, waiting, node),
        )
      : [];
    if (stuck.length === 0) return isTrue('Nothing can happen, and no node waits.');
    const ids = stuck.map(({ id }) => id);
    return isFalse(
      `Nothing can happen, and ${listed(ids, 'and')} ${ids.length === 1 ? 'waits' : 'wait'}.`,
      ids,
    );
  },
  repeated: () => goesOn,
};

/** An action that fails. */
interface Failure {
  readonly error: ConclaveError;
  /** The node whose machine cannot take it. */
  readonly node: NodeId;
}

/**
 * Which possible actions fail. Whether one does depends on the state of its node only, and a step
 * changes the state of one node: so most answers are known from the world before.
 */
class Failures {
  /** By state, and then by a text for the action. Null: it does not fail. */
  readonly #known = new WeakMap<LocalState, Map<string, ConclaveError | null>>();
  /** Messages stay the same objects while they are in flight. */
  readonly #messages = new WeakMap<Message, number>();
  #count = 0;

  constructor(private readonly worlds: Worlds) {}

  /** The first possible action whose failure violates a standard property. */
  firstIn(
    { world, actions }: Pick<Position, 'world' | 'actions'>,
    property: string,
  ): Failure | undefined {
    for (const action of actions) {
      const node = nodeOf(action);
      // no machine takes it; a step that fails has no crash in its middle
      if (node === undefined || action.type === 'crash') continue;
      const error = this.#errorOf(world, node, action);
      if (error && violatedBy(error, this.worlds.budget.unexpected) === property)
        return { error, node };
    }
    return undefined;
  }

  #errorOf(world: World, node: NodeId, action: Action): ConclaveError | undefined {
    const state = world.nodes[node];
    if (!state) return undefined;
    const known = this.#known.get(state) ?? new Map<string, ConclaveError | null>();
    this.#known.set(state, known);
    const key =
      action.type === 'deliver'
        ? `${action.from} ${this.#numberOf(action.message)}`
        : JSON.stringify(action);
    const answer = known.get(key);
    if (answer !== undefined) return answer ?? undefined;
    const next = nextOrFault(this.worlds, withOnly(world, action), action);
    const error = next instanceof ConclaveError ? next : undefined;
    known.set(key, error ?? null);
    return error;
  }

  #numberOf(message: Message): number {
    const number = this.#messages.get(message) ?? this.#count++;
    this.#messages.set(message, number);
    return number;
  }
}

/**
 * The world with no message but the one that an action is about: steps copy the channels, and other
 * messages do not change whether one fails.
 */
function withOnly(world: World, action: Action): World {
  if (action.type === 'deliver') {
    const channel = `${action.from}→${action.to}`;
    const dues = action.due ? { [channel]: [action.due] } : {};
    return {
      ...world,
      channels: { [channel]: [action.message] },
      ...(world.clocks && { clocks: { ...world.clocks, dues } }),
    };
  }
  return { ...world, channels: {}, ...(world.clocks && { clocks: { ...world.clocks, dues: {} } }) };
}
