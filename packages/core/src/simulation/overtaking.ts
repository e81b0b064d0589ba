import { answerOf } from '../protocol/answer.js';
import type { NodeView, Overtaken } from '../protocol/property.js';

/**
 * Checks bounded overtaking during a run. Of all waiting nodes, the one that waits longest is
 * overtaken most often.
 */
export class OvertakingMonitor {
  /**
   * The waiting nodes, the longest wait first, with the number of entries of all nodes before the
   * wait began.
   */
  readonly #waiting = new Map<NodeView, number>();
  /** Per node: the numbers of its last `most` + 1 entries. */
  readonly #entries = new Map<NodeView, number[]>();
  readonly #inside = new Set<NodeView>();
  #count = 0;

  constructor(readonly property: Overtaken) {}

  /**
   * Checks a node after a step, a crash or a restart; false where a node is overtaken too often.
   */
  look(node: NodeView): boolean {
    const { property } = this;
    const isInside = !node.crashed && answerOf(property, property.inside, node);
    const isWaiting = !node.crashed && answerOf(property, property.waits, node);
    const enters = isInside && !this.#inside.has(node);
    const holds = !enters || this.#enter(node);
    if (isInside) this.#inside.add(node);
    else this.#inside.delete(node);
    if (!isWaiting) this.#waiting.delete(node);
    else if (!this.#waiting.has(node)) this.#waiting.set(node, this.#count);
    return holds;
  }

  #enter(node: NodeView): boolean {
    const { most } = this.property;
    const last = this.#entries.get(node) ?? [];
    this.#entries.set(node, last);
    last.push(++this.#count);
    if (last.length > most + 1) last.shift();
    const [first = 0] = last;
    for (const [waiter, since] of this.#waiting)
      if (waiter !== node) return last.length <= most || first <= since;
    return true;
  }
}
