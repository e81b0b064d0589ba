import { numberFrom } from '../protocol/answer.js';
import type { NodeId } from '../protocol/node.js';
import type { Increases, NodeView, SystemView } from '../protocol/property.js';
import { isFalse, isTrue, type Outcome, Safety } from './tracker.js';

/** `increases`: the largest number so far, and the last one of each node. */
export class Increase extends Safety {
  protected override readonly rounds = 1;

  constructor(
    readonly property: Increases,
    private largest = -Infinity,
    private readonly last = new Map<NodeId, number | undefined>(),
  ) {
    super();
  }

  /** The first numbers have no order. */
  override begin({ nodes }: SystemView): void {
    for (const node of nodes) {
      const number = numberOf(this.property, node);
      this.last.set(node.id, number);
      this.had(node.id, number ?? -Infinity);
      if (Number.isNaN(number))
        this.decided = isFalse('A number is NaN, and no number is larger than that.');
    }
  }

  override node(node: NodeView): void {
    const { id } = node;
    const number = numberOf(this.property, node);
    if (number !== undefined && !isSame(number, this.last.get(id))) {
      const before = this.largestBefore(id);
      if (!(number > before))
        this.decided = isFalse(`${id} has ${number}; ${before} was the largest number before.`, [
          id,
        ]);
      this.had(id, number);
    }
    this.last.set(id, number);
  }

  copy(): Increase {
    return new Increase(this.property, this.largest, new Map(this.last));
  }

  now(): Outcome {
    return isTrue(
      this.largest === -Infinity
        ? 'There is no number so far.'
        : `The largest number so far is ${this.largest}.`,
    );
  }

  /** The largest number that is known to be earlier than what a node does now. */
  protected largestBefore(_node: NodeId): number {
    return this.largest;
  }

  protected had(_node: NodeId, number: number): void {
    this.largest = Math.max(this.largest, number);
  }
}

/** The number that `property` reads from a node. */
export const numberOf = (property: Increases, node: NodeView): number | undefined =>
  node.crashed ? undefined : numberFrom(property, node);

/** NaN is the same as itself, and 0 as −0. */
export const isSame = (one: number, other: number | undefined): boolean =>
  one === other || Object.is(one, other);
