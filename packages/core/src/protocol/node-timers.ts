import type { EventObject } from 'xstate';
import type { ConclaveError } from '../base/error.js';
import { timerArmedTwice, timerWithoutId } from './contract-errors.js';
import type { NodeId } from './node.js';
import type { HostEffect, Timer } from './step.js';

/** What XState and the nodes need of a clock; times in milliseconds. */
export interface TimerClock {
  /** `timer` is the id of the timer within its node, for clocks that fire timers by id. */
  setTimeout(fire: () => void, delay: number, timer?: string): unknown;
  clearTimeout(handle: unknown): void;
}

/** Learns what happens to the timers. */
interface TimerOwner {
  changed(effect: HostEffect): void;
  expired(timer: Timer): void;
  /** A timer was armed in a way that breaks the node contract. */
  fail(error: ConclaveError): void;
}

/**
 * One node's armed timers. Replaces XState's scheduler, which does not report timers and accepts
 * timers without an id or armed twice.
 */
export class NodeTimers {
  /** The clock's handle of each timer. */
  readonly #handles = new Map<string, unknown>();

  constructor(
    private readonly node: NodeId,
    private readonly clock: TimerClock,
    private readonly owner: TimerOwner,
  ) {}

  /** The ids of the armed timers, in the order they were armed. */
  get armed(): readonly string[] {
    return [...this.#handles.keys()];
  }

  schedule(
    _source: unknown,
    _target: unknown,
    event: EventObject,
    delay: number,
    id?: string,
  ): void {
    if (id === undefined) return this.owner.fail(timerWithoutId(this.node, event, delay));
    if (this.#handles.has(id)) return this.owner.fail(timerArmedTwice(this.node, id));
    const timer: Timer = { id, delay, event };
    const fire = () => {
      this.#handles.delete(id);
      this.owner.expired(timer);
    };
    this.#handles.set(id, this.clock.setTimeout(fire, delay, id));
    this.owner.changed({ type: 'start', timer });
  }

  cancel(_source: unknown, id: string): void {
    if (!this.#handles.has(id)) return;
    this.clock.clearTimeout(this.#handles.get(id));
    this.#handles.delete(id);
    this.owner.changed({ type: 'cancel', timer: id });
  }

  cancelAll(source: unknown): void {
    for (const id of this.armed) this.cancel(source, id);
  }
}
