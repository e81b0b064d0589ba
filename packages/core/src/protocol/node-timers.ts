import type { EventObject } from 'xstate';
import type { ConclaveError } from './error.js';
import type { NodeId } from './node.js';
import { type HostEffect, rearmed, type Timer, unnamed } from './step.js';

/** What XState and the nodes need of a clock; times in milliseconds. */
export interface TimerClock {
  /** `timer` is what its node calls it: for a clock that is told by name which timer to fire. */
  setTimeout(fire: () => void, delay: number, timer?: string): unknown;
  clearTimeout(handle: unknown): void;
}

/** Told of what becomes of the timers. */
interface TimerOwner {
  changed(effect: HostEffect): void;
  expired(timer: Timer): void;
  /** One was armed against the node contract. */
  fail(error: ConclaveError): void;
}

/** One node's armed timers. Takes the place of XState's own scheduler, which neither tells of timers nor refuses one without a name or one armed twice. */
export class NodeTimers {
  /** By timer, what the clock calls it. */
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

  schedule(_source: unknown, _target: unknown, event: EventObject, delay: number, id?: string): void {
    if (id === undefined) return this.owner.fail(unnamed(this.node, event, delay));
    if (this.#handles.has(id)) return this.owner.fail(rearmed(this.node, id));
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
