import { ConclaveError } from '../base/error.js';
import type { Random } from '../base/random.js';
import type { PlainStep } from '../protocol/compiled/compile.js';
import type { NodeId } from '../protocol/node.js';
import { differenceOf, notPlain } from '../protocol/plain-data.js';
import type { HostEffect, Step } from '../protocol/step.js';
import type { SimulationOptions } from './options.js';

/** One step in so many is confirmed, on average. */
const sampledEvery = 1000;

/**
 * Which steps of compiled machines XState repeats: one in a thousand, drawn from the seed, or all.
 */
export type Confirm = NonNullable<SimulationOptions['confirm']>;

/** Ways to take a step once more, from a copy of what it began with. */
export interface Repetition {
  byXState(): Step;
  byPlan(): PlainStep | undefined;
}

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
   * Compares a step with the one that XState takes. Contexts that are no plain data are left alone:
   * large networks are not checked for them.
   *
   * @param effects those of the step that concern the host.
   * @throws {ConclaveError} `impure` where the same step has another outcome when it is repeated.
   * @throws {Error} where the compiled machine differs from XState: an internal error.
   */
  check(id: NodeId, taken: PlainStep, effects: readonly HostEffect[], again: Repetition): void {
    const { configuration, context } = taken.state;
    if (notPlain([context, effects]) !== undefined) return;
    const { value, tags, history, status } = configuration;
    const { state, effects: expected } = again.byXState();
    const byXState = {
      value: state.value,
      tags: state.tags,
      history: state.history,
      status: state.status,
      context: state.context,
    };
    const difference = between(
      { ...byXState, effects: expected },
      { value, tags, history, status, context, effects },
    );
    if (difference !== undefined)
      throw changing(id, taken, again.byPlan()) ?? differs(id, 'a step', difference);
    this.count++;
  }

  #gap(): number {
    return this.confirm === 'all' ? 1 : 1 + this.random.below(2 * sampledEvery - 1);
  }
}

/** The difference of two values as JSON has them, where −0 is 0. */
const between = (one: object, other: object): string | undefined =>
  differenceOf(asJson(one), asJson(other));
const asJson = (value: object): unknown => JSON.parse(JSON.stringify(value));

/** The error for a step whose outcome is another one when it is repeated. */
function changing(
  id: NodeId,
  { state, effects }: PlainStep,
  repeated: PlainStep | undefined,
): ConclaveError | undefined {
  const outcome = { value: state.configuration.value, context: state.context, effects };
  const other = repeated && {
    value: repeated.state.configuration.value,
    context: repeated.state.context,
    effects: repeated.effects,
  };
  const difference = between(outcome, other ?? {});
  if (difference === undefined) return undefined;
  return new ConclaveError(
    'impure',
    `Node ${id} takes the same step differently when it is repeated: ${difference}`,
    'A step depends on its context and its event only: keep in the context what the node remembers.',
  );
}

/** The error for a compiled machine that does not do what XState does. */
export function differs(id: NodeId, what: string, difference: unknown): Error {
  const text = difference instanceof Error ? difference.message : String(difference);
  return new Error(
    `Internal error: at ${what} of node ${id}, the compiled machine and XState differ: ${text}. Simulate with host: 'actors', and report this.`,
    { cause: difference },
  );
}
