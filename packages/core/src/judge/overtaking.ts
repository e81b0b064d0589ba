import { answerOf } from '../protocol/answer.js';
import type { NodeId } from '../protocol/node.js';
import type { NodeView, Overtaken, SystemView } from '../protocol/property.js';
import { isFalse, isTrue, type Outcome, Safety } from './tracker.js';

/**
 * `overtaken`. Of all waiting nodes, the one that waits longest is overtaken most often: only that
 * one is compared. A node that starts inside does not enter.
 */
export class Overtaking extends Safety {
  protected override readonly rounds: number;
  /**
   * The waiting nodes, the longest wait first, with the number of entries of all nodes before the
   * wait began.
   */
  readonly #waiting = new Map<NodeId, number>();
  /** Per node: the numbers of its last `most` + 1 entries. */
  readonly #entries = new Map<NodeId, number[]>();
  readonly #inside = new Set<NodeId>();
  #count = 0;

  constructor(readonly property: Overtaken) {
    super();
    this.rounds = property.most + 1;
  }

  override begin({ nodes }: SystemView): void {
    for (const node of nodes) this.#mark(node, this.#is(node, this.property.inside));
  }

  override node(node: NodeView): void {
    const isInside = this.#is(node, this.property.inside);
    if (isInside && !this.#inside.has(node.id)) this.#enter(node.id);
    this.#mark(node, isInside);
  }

  copy(): Overtaking {
    const copy = new Overtaking(this.property);
    for (const [id, since] of this.#waiting) copy.#waiting.set(id, since);
    for (const [id, entries] of this.#entries) copy.#entries.set(id, [...entries]);
    for (const id of this.#inside) copy.#inside.add(id);
    copy.#count = this.#count;
    return copy;
  }

  now(): Outcome {
    let worst = { waiter: '', id: '', count: 0, first: 0 };
    for (const [waiter, since] of this.#waiting)
      for (const [id, entries] of this.#entries) {
        const [first = 0, ...more] = id === waiter ? [] : entries.filter((entry) => entry > since);
        const count = first === 0 ? 0 : 1 + more.length;
        const isEarlier = worst.waiter === waiter && first < worst.first;
        if (count > worst.count || (count > 0 && count === worst.count && isEarlier))
          worst = { waiter, id, count, first };
      }
    const { waiter, id, count } = worst;
    if (count === 0) return isTrue('No node that waits was overtaken.');
    return isTrue(
      `While ${waiter} waits, ${id} has entered ${count === 1 ? 'once' : `${count} times`}.`,
    );
  }

  #is(node: NodeView, holds: Overtaken['waits']): boolean {
    return !node.crashed && answerOf(this.property, holds, node);
  }

  #mark(node: NodeView, isInside: boolean): void {
    const { id } = node;
    if (isInside) this.#inside.add(id);
    else this.#inside.delete(id);
    if (!this.#is(node, this.property.waits)) this.#waiting.delete(id);
    else if (!this.#waiting.has(id)) this.#waiting.set(id, this.#count);
  }

  #enter(id: NodeId): void {
    const { most } = this.property;
    const last = this.#entries.get(id) ?? [];
    this.#entries.set(id, last);
    last.push(++this.#count);
    if (last.length > most + 1) last.shift();
    const [first = 0] = last;
    for (const [waiter, since] of this.#waiting) {
      if (waiter === id) continue;
      if (last.length > most && first > since)
        this.decided = isFalse(
          `${id} enters for the ${ordinal(most + 1)} time while ${waiter} waits.`,
          [id, waiter],
        );
      return;
    }
  }
}

const ordinal = (count: number): string => {
  const ending =
    count % 100 > 10 && count % 100 < 14 ? 'th' : (['th', 'st', 'nd', 'rd'][count % 10] ?? 'th');
  return `${count}${ending}`;
};
