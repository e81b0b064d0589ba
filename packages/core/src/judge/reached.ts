import { answerOf } from '../protocol/answer.js';
import type { PropertyOf, SystemView } from '../protocol/property.js';
import { isFalse, isTrue, isUndecided, type Outcome, Tracker } from './tracker.js';

/** `sometimes`, `eventually` and `almostSurely`. */
export class Reached extends Tracker {
  constructor(readonly property: PropertyOf<'sometimes' | 'eventually' | 'almostSurely'>) {
    super();
  }

  override system(system: SystemView): void {
    const { property } = this;
    if (answerOf(property, property.holds, system)) this.decided = isTrue('It was reached.');
  }

  copy(): Reached {
    return new Reached(this.property);
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
    const { kind } = this.property;
    if (kind === 'sometimes') return this.now();
    return kind === 'eventually'
      ? isFalse('The run goes on forever without it.')
      : isUndecided('The run goes on forever without it, perhaps with probability 0.');
  }
}
