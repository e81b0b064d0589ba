import { Increase } from '../judge/increase.js';
import type { NodeId } from '../protocol/node.js';

/**
 * `increases` where an order tells nothing of steps that do not depend on each other: a number is
 * earlier than those steps only that follow from its own.
 */
export class CausalIncrease extends Increase {
  readonly #past = new Map<NodeId, number>();

  /** The largest number in the past of a node. */
  pastOf(id: NodeId): number {
    return this.#past.get(id) ?? -Infinity;
  }

  /** What a node does from now on follows a step with this number in its past. */
  follows(id: NodeId, number: number): void {
    this.#past.set(id, Math.max(this.pastOf(id), number));
  }

  protected override largestBefore(id: NodeId): number {
    return this.pastOf(id);
  }

  protected override had(id: NodeId, number: number): void {
    this.follows(id, number);
  }
}
