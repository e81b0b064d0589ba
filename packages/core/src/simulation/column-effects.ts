import type { ConclaveError } from '../base/error.js';
import type { PlainState, PlainStep } from '../protocol/compiled/compile.js';
import type { PlainEffect } from '../protocol/compiled/situation.js';
import { timerArmedTwice } from '../protocol/contract-errors.js';
import { emittedEffect, notAnEffect } from '../protocol/effects.js';
import { freezesPlain } from '../protocol/plain-data.js';
import { frozen, type HostEffect } from '../protocol/step.js';
import type { ColumnStates } from './column-states.js';
import type { ColumnTimers } from './column-timers.js';

const noEffects: readonly HostEffect[] = [];

/** What the steps of nodes on compiled machines do, but for their messages. */
export class ColumnEffects {
  /**
   * How a machine broke the node contract in the effects of a step; thrown after all have been
   * looked at.
   */
  #failure: ConclaveError | undefined;

  constructor(
    private readonly states: ColumnStates,
    private readonly timers: ColumnTimers,
    private readonly freezes: boolean,
  ) {}

  /** Arms and cancels the timers of a step; returns its effects. */
  perform(node: number, before: PlainState | undefined, taken: PlainStep): readonly HostEffect[] {
    const { state } = taken;
    const isDone = state.configuration.status !== 'active';
    const effects = this.#performed(node, taken.effects, isDone);
    if (this.freezes) this.#freeze(node, before, state, effects);
    if (this.#failure) throw this.#failure;
    return effects;
  }

  /** A node that is done cancels its timers. */
  #performed(
    node: number,
    planned: readonly PlainEffect[],
    isDone: boolean,
  ): readonly HostEffect[] {
    if (planned.length === 0 && !isDone) return noEffects;
    const [first] = planned;
    if (first && planned.length === 1 && !isDone) {
      const only = this.#effectOf(node, first);
      // the usual step, without the room that a list takes which grows
      return only ? [only] : noEffects;
    }
    const effects: HostEffect[] = [];
    for (const each of planned) {
      const effect = this.#effectOf(node, each);
      if (effect) effects.push(effect);
    }
    if (isDone)
      for (const timer of this.timers.cancelAll(node)) effects.push({ type: 'cancel', timer });
    return effects;
  }

  /** Undefined for a timer that was not armed, and where the machine broke the contract. */
  #effectOf(node: number, planned: PlainEffect): HostEffect | undefined {
    if (planned.type === 'emit') {
      const emitted = emittedEffect(planned.event);
      if (!emitted) this.#failure ??= notAnEffect(this.states.idOf(node), planned.event);
      return emitted;
    }
    if (planned.type === 'cancel')
      return this.timers.cancel(node, planned.timer) ? planned : undefined;
    if (this.timers.start(node, planned.timer)) return planned;
    this.#failure ??= timerArmedTwice(this.states.idOf(node), planned.timer.id);
    return undefined;
  }

  #freeze(
    node: number,
    before: PlainState | undefined,
    { context }: PlainState,
    effects: readonly HostEffect[],
  ): void {
    const id = this.states.idOf(node);
    const last = before?.context;
    // it was checked when it was frozen
    const known = last && Object.isFrozen(last) ? last : undefined;
    if (context !== last && !freezesPlain(context, known)) frozen(id, context, 'context');
    for (const effect of effects) if (!freezesPlain(effect)) frozen(id, effect, effect.type);
  }
}
