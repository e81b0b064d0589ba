import { ConclaveError } from '../../base/error.js';
import { checkProperties } from '../../protocol/check-properties.js';
import type { Property } from '../../protocol/property.js';
import { withoutChance } from '../../protocol/purity.js';
import { standardProperties } from '../../protocol/unhandled-messages.js';
import type { Action, World } from '../worlds/world.js';
import { worldKey } from '../worlds/world-key.js';
import type { Worlds } from '../worlds/worlds.js';
import { Failures } from './failures.js';
import { Increase, Overtaking, Response } from './of-nodes.js';
import { Cost, NoDeadlock, NoFault, Steps } from './of-steps.js';
import { Invariant, Reached, Recurrent } from './of-system.js';
import { Position } from './position.js';
import { Decided, type Outcome, type Tracker } from './tracker.js';

/** How a property stands at one moment of one run. */
export interface Standing extends Outcome {
  readonly name: string;
  readonly kind: Property['kind'];
}

/** A run up to one of its worlds, judged; immutable, so that runs may branch. */
export class JudgedRun {
  readonly #standings: (Standing | undefined)[] = [];

  constructor(
    readonly position: Position,
    readonly trackers: readonly Tracker[],
    private readonly judged: readonly Judged[],
  ) {}

  /** How the properties stand, in their order; the standard ones last. */
  get standings(): readonly Standing[] {
    return withoutChance(() => this.judged.map((_, index) => this.standing(index)));
  }

  /** How the property at this position stands. Evaluated once. */
  standing(index: number): Standing {
    const { judged, position, trackers } = this;
    const known = this.#standings[index];
    if (known) return known;
    const { name, kind } = judged[index] as Judged; // an index of `standings`
    const tracker = trackers[index] as Tracker; // likewise
    const standing = {
      name,
      kind,
      ...outcomeOf(() => (position.isQuiescent ? tracker.ended() : tracker.now())),
    };
    this.#standings[index] = standing;
    return standing;
  }
}

interface Judged {
  readonly name: string;
  readonly kind: Property['kind'];
  readonly begin: (position: Position) => Tracker;
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

  /** @throws {ConclaveError} `bad-input` for properties that cannot be of this protocol. */
  constructor(
    private readonly worlds: Worlds,
    properties: readonly Property[] = worlds.protocol.properties,
  ) {
    const { protocol, topology } = worlds;
    if (properties !== protocol.properties) checkProperties(protocol, properties, topology);
    const failures = new Failures(worlds);
    const [handled = '', noDeadlock = '', noStepFails = ''] = standardProperties;
    this.#judged = [
      ...properties.map((property) => ({
        name: property.name,
        kind: property.kind,
        begin: (at: Position) => trackerOf(property, at),
      })),
      { name: handled, kind: 'always', begin: (at) => new NoFault(handled, at, failures) },
      ...(protocol.waiting === false
        ? []
        : [
            {
              name: noDeadlock,
              kind: 'always',
              begin: (at: Position) => new NoDeadlock(noDeadlock, at),
            } as const,
          ]),
      { name: noStepFails, kind: 'always', begin: (at) => new NoFault(noStepFails, at, failures) },
    ];
  }

  /** The run in its initial world. */
  begin(): JudgedRun {
    const position = new Position(this.worlds, this.worlds.initial);
    return this.#at(
      position,
      this.#judged.map(
        ({ begin }) =>
          () =>
            begin(position),
      ),
    );
  }

  /**
   * The run after one more action. `next`: the world after it, or the error of a machine that
   * cannot take it: then the run goes no further.
   */
  after(run: JudgedRun, action: Action, next: World | ConclaveError): JudgedRun {
    const failed = next instanceof ConclaveError;
    const position = new Position(
      this.worlds,
      failed ? run.position.world : next,
      { from: run.position, action },
      failed ? next : undefined,
    );
    return this.#at(
      position,
      run.trackers.map((tracker) => () => tracker.after(position)),
    );
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
    const loop: Position[] = [];
    for (let at = to; at !== from; ) {
      loop.push(at);
      if (!at.taken) return undefined;
      at = at.taken.from;
    }
    loop.reverse();
    return this.#judged.map(({ name, kind }, index) => {
      // one for each property
      const [tracker, begun] = [last.trackers[index] as Tracker, first.trackers[index] as Tracker];
      return { name, kind, ...outcomeOf(() => tracker.repeated(begun, loop)) };
    });
  }

  #at(position: Position, take: readonly (() => Tracker)[]): JudgedRun {
    return new JudgedRun(
      position,
      withoutChance(() => take.map(attempt)),
      this.#judged,
    );
  }
}

function trackerOf(property: Property, position: Position): Tracker {
  switch (property.kind) {
    case 'always':
    case 'never':
      return Invariant.begin(property, position);
    case 'sometimes':
    case 'eventually':
      return Reached.begin(property, position);
    case 'alwaysEventually':
      return new Recurrent(property, position);
    case 'leadsTo':
      return Response.begin(property, position);
    case 'atMost':
      return Cost.begin(property, position);
    case 'increases':
      return Increase.begin(property, position);
    case 'everyStep':
      return Steps.begin(property);
    case 'overtaken':
      return Overtaking.begin(property, position);
  }
}

const failed = (error: ConclaveError): Outcome => ({
  value: 'undecided',
  reason: error.message,
  nodes: [],
  error,
});

/** A property that fails stays undecided. */
function attempt(make: () => Tracker): Tracker {
  try {
    return make();
  } catch (error) {
    if (error instanceof ConclaveError) return new Decided(failed(error));
    throw error;
  }
}

function outcomeOf(of: () => Outcome): Outcome {
  try {
    return withoutChance(of);
  } catch (error) {
    if (error instanceof ConclaveError) return failed(error);
    throw error;
  }
}
