import { answerOf } from '../protocol/answer.js';
import type { EveryStep, NodeStep } from '../protocol/property.js';
import { isFalse, isTrue, type Outcome, Safety } from './tracker.js';

/** `everyStep`. */
export class Steps extends Safety {
  constructor(readonly property: EveryStep) {
    super();
  }

  override step(step: NodeStep): void {
    const { id } = step.after;
    if (!answerOf(this.property, this.property.allows, step))
      this.decided = isFalse(`The step of ${id} is not allowed.`, [id]);
  }

  copy(): Steps {
    return new Steps(this.property);
  }

  now(): Outcome {
    return isTrue('Each step so far is allowed.');
  }
}
