/**
 * How all properties of a system stand at each moment of one run. A property of the protocol has a
 * tracker, which remembers what it needs of the run; the standard properties (standards.ts) look at
 * the present position only.
 */

import { checkProperties } from '@conclave/core/internal';
import { Tracker, trackerOf } from '@conclave/core/internal/judge';
import type { Property } from '@conclave/core/protocol';
import { ConclaveError } from '@conclave/core/protocol';
import { withoutChance } from '../base/resumable.js';
import type { Action, World } from '../worlds/world.js';
import { worldKey } from '../worlds/world-key.js';
import type { Worlds } from '../worlds/worlds.js';
import { Position } from './position.js';
import { type Standard, standardsOf } from './standards.js';

type Outcome = ReturnType<Tracker['now']>;
type Reason = ReturnType<Outcome['explain']>;
type Loop = Parameters<Tracker['repeated']>[1];

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
    const outcomeOf = (entry: Entry, atFirst: Entry | undefined): Outcome => {
      if (entry instanceof ConclaveError) throw entry;
      if (!(entry instanceof Tracker)) return entry.repeated(to, steps);
      return entry.decided ?? entry.repeated(atFirst as Tracker, loop); // of the same property
    };
    return this.#judged.map((judged, index) =>
      standingOf(judged, to, () => outcomeOf(last.entries[index] as Entry, first.entries[index])),
    );
  }

  /** The run at its next position. `before`: its entries up to there. */
  #at(position: Position, before: readonly Entry[]): JudgedRun {
    const advanced = (entry: Entry): Entry => {
      if (!(entry instanceof Tracker) || entry.decided) return entry;
      return attempt(() => {
        const copy = entry.copy();
        position.tell(copy);
        return copy;
      });
    };
    return new JudgedRun(
      position,
      withoutChance(() => before.map(advanced)),
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
