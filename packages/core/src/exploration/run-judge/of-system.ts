import { answerOf } from '../../protocol/answer.js';
import type { SystemProperty, SystemView } from '../../protocol/property.js';
import { blamed, blameText } from './blame.js';
import type { Position } from './position.js';
import {
  Decided,
  isFalse,
  isTrue,
  isUndecided,
  type Outcome,
  type Tracker,
  Unbroken,
} from './tracker.js';

type OfKind<K extends string> = SystemProperty<K, SystemView>;

const holdsAt = (property: OfKind<string>, { view }: Position): boolean =>
  answerOf(property, property.holds, view);

/** `always` and `never`. */
export class Invariant extends Unbroken {
  private constructor(private readonly property: OfKind<'always' | 'never'>) {
    super();
  }

  static begin(property: OfKind<'always' | 'never'>, position: Position): Tracker {
    return new Invariant(property).after(position);
  }

  after(position: Position): Tracker {
    const { property } = this;
    const wanted = property.kind === 'always';
    if (holdsAt(property, position) === wanted) return this;
    const sets = blamed(property, position.worlds.protocol, position.view, wanted);
    const nodes = position.view.nodes
      .map(({ id }) => id)
      .filter((id) => sets.some((set) => set.includes(id)));
    return new Decided(isFalse(blameText(sets), nodes));
  }

  now(): Outcome {
    return isTrue(
      this.property.kind === 'always'
        ? 'It holds in each world so far.'
        : 'It is so in no world so far.',
    );
  }
}

/** `sometimes` and `eventually`. */
export class Reached implements Tracker {
  private constructor(private readonly property: OfKind<'sometimes' | 'eventually'>) {}

  static begin(property: OfKind<'sometimes' | 'eventually'>, position: Position): Tracker {
    return new Reached(property).after(position);
  }

  after(position: Position): Tracker {
    return holdsAt(this.property, position) ? new Decided(isTrue('It was reached.')) : this;
  }

  now(): Outcome {
    return isUndecided(
      this.property.kind === 'sometimes'
        ? 'It was not reached on this path; some path must reach it.'
        : 'It is still to come.',
    );
  }

  ended(): Outcome {
    return this.property.kind === 'sometimes' ? this.now() : isFalse('The run ends without it.');
  }

  repeated(): Outcome {
    return this.property.kind === 'sometimes'
      ? this.now()
      : isFalse('The run goes on forever without it.');
  }
}

/** `alwaysEventually`. */
export class Recurrent implements Tracker {
  readonly #holds: boolean;

  constructor(
    private readonly property: OfKind<'alwaysEventually'>,
    private readonly position: Position,
  ) {
    this.#holds = holdsAt(property, position);
  }

  after(position: Position): Tracker {
    return new Recurrent(this.property, position);
  }

  now(): Outcome {
    return this.#holds ? isTrue('It is so now.') : isUndecided('It is not so now, and awaited.');
  }

  ended(): Outcome {
    return this.#holds
      ? isTrue('It is so where the run ends.')
      : this.#missing('It is not so where the run ends.');
  }

  repeated(_first: Tracker, loop: readonly Position[]): Outcome {
    const isAgain = this.#holds || loop.some((position) => holdsAt(this.property, position));
    return isAgain ? isTrue('It is so again and again.') : this.#missing('It is never so again.');
  }

  #missing(reason: string): Outcome {
    const { worlds, view } = this.position;
    const sets = blamed(this.property, worlds.protocol, view, true);
    const nodes = view.nodes
      .map(({ id }) => id)
      .filter((id) => sets.some((set) => set.includes(id)));
    return isFalse(sets.length === 0 ? reason : `${reason} ${blameText(sets)}`, nodes);
  }
}
