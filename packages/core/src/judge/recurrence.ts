import { answerOf } from '../protocol/answer.js';
import type { PropertyOf, SystemView } from '../protocol/property.js';
import { withoutSome } from './blame.js';
import { isTrue, isUndecided, type Loop, type Outcome, Tracker } from './tracker.js';

/** `alwaysEventually`: the present system decides, so nothing is kept. */
export class Recurrence extends Tracker {
  constructor(readonly property: PropertyOf<'alwaysEventually'>) {
    super();
  }

  copy(): Recurrence {
    return this;
  }

  now(system: SystemView): Outcome {
    return this.#holds(system)
      ? isTrue('It is so now.')
      : isUndecided('It is not so now, and awaited.');
  }

  ended(system: SystemView): Outcome {
    return this.#holds(system)
      ? isTrue('It is so where the run ends.')
      : this.#missing('It is not so where the run ends.', system);
  }

  repeated(_first: Tracker, { system, systems }: Loop): Outcome {
    return [system, ...systems].some((one) => this.#holds(one))
      ? isTrue('It is so again and again.')
      : this.#missing('It is never so again.', system);
  }

  #holds(system: SystemView): boolean {
    return answerOf(this.property, this.property.holds, system);
  }

  #missing(what: string, system: SystemView): Outcome {
    return {
      value: 'false',
      because: (protocol) => {
        const { reason, nodes } = withoutSome(this.property, protocol, system, true);
        return { reason: nodes.length === 0 ? what : `${what} ${reason}`, nodes };
      },
    };
  }
}
