import { answerOf } from '../protocol/answer.js';
import type { PropertyOf, SystemView } from '../protocol/property.js';
import { withoutSome } from './blame.js';
import { isTrue, type Outcome, Safety } from './tracker.js';

/** `always` and `never`. */
export class Invariant extends Safety {
  constructor(readonly property: PropertyOf<'always' | 'never'>) {
    super();
  }

  override system(system: SystemView): void {
    const { property } = this;
    const wanted = property.kind === 'always';
    if (answerOf(property, property.holds, system) === wanted) return;
    this.decided = {
      value: 'false',
      because: (protocol) => withoutSome(property, protocol, system, wanted),
    };
  }

  copy(): Invariant {
    return new Invariant(this.property);
  }

  now(): Outcome {
    return isTrue(
      this.property.kind === 'always'
        ? 'It holds in each world so far.'
        : 'It is so in no world so far.',
    );
  }
}
