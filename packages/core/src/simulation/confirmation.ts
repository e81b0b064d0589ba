import type { Random } from '../channel/random.js';
import type { PlainState } from '../protocol/compiled/compile.js';
import type { NodeId } from '../protocol/node.js';
import { differenceOf, notPlain } from '../protocol/plain-data.js';
import type { HostEffect, Step } from '../protocol/step.js';

/** One step in so many is confirmed, on average. */
const sampledEvery = 1000;

/** How many steps of compiled machines XState repeats: each, or one in a thousand, drawn from the seed. */
export type Confirm = 'sample' | 'all';

/** Repeats steps of compiled machines by XState, the definition of a step. */
export class Confirmation {
  /** How many steps XState has confirmed. */
  count = 0;
  #next: number;

  /** @param random draws which steps; nothing else draws from it. */
  constructor(
    private readonly confirm: Confirm,
    private readonly random: Random,
  ) {
    this.#next = this.#gap();
  }

  /** Whether the next step is to be confirmed. */
  due(): boolean {
    if (--this.#next > 0) return false;
    this.#next = this.#gap();
    return true;
  }

  /**
   * Compares a step with the one that XState takes. Contexts that are no plain data are left alone: large networks are not checked for them.
   *
   * @param again takes the step by XState.
   * @throws {Error} where they differ: an internal error.
   */
  check(id: NodeId, again: () => Step, taken: PlainState, effects: readonly HostEffect[]): void {
    const { configuration, context } = taken;
    if (notPlain([context, effects]) !== undefined) return;
    const { value, tags, history, status } = configuration;
    const { state, effects: expected } = again();
    const byXState = { value: state.value, tags: state.tags, history: state.history, status: state.status, context: state.context };
    const difference = differenceOf(plain({ ...byXState, effects: expected }), plain({ value, tags, history, status, context, effects }));
    if (difference !== undefined) throw differs(id, 'a step', difference);
    this.count++;
  }

  #gap(): number {
    return this.confirm === 'all' ? 1 : 1 + this.random.below(2 * sampledEvery - 1);
  }
}

/** Plain data as JSON has it, where −0 is 0. */
const plain = (value: object): unknown => JSON.parse(JSON.stringify(value));

/** The error for a compiled machine that does not do what XState does. */
export function differs(id: NodeId, what: string, difference: unknown): Error {
  const text = difference instanceof Error ? difference.message : String(difference);
  return new Error(
    `Internal error: at ${what} of node ${id}, the compiled machine and XState differ: ${text}. Simulate with host: 'actors', and report this.`,
    { cause: difference },
  );
}
