import type { EventObject } from 'xstate';
import type { Guards } from './guards.js';
import { NotCompilable } from './not-compilable.js';
import type { Op, Run, Scope } from './situation.js';

/** Compiles what is enqueued. */
export interface Enqueued {
  compiled(action: unknown): Op;
  assigns(assignment: unknown): Op;
  emits(event: unknown): Op;
  raises(event: unknown, delay: unknown, id: unknown): Op;
  cancels(timer: unknown): Op;
}

type Collect = (args: object, params: unknown) => unknown;

/**
 * `enqueueActions` of one machine: what is enqueued runs, in order, after the function that
 * enqueues it has returned.
 */
export class Enqueuing {
  /** Of the function that enqueues now. */
  #queue: (() => Op)[] = [];
  readonly #enqueue: object;

  constructor(
    actions: Enqueued,
    private readonly guards: Guards,
    private readonly scope: Scope,
  ) {
    const add = (op: () => Op) => {
      this.#queue.push(op);
    };
    const refuse = (what: string) => () =>
      add(() => {
        throw new NotCompilable(`uses ${what}`);
      });
    this.#enqueue = Object.assign((action: unknown) => add(() => actions.compiled(action)), {
      assign: (assignment: unknown) => add(() => actions.assigns(assignment)),
      emit: (event: unknown) =>
        add(
          typeof event === 'object' ? emitting(event as EventObject) : () => actions.emits(event),
        ),
      raise: (event: unknown, options?: { readonly delay?: unknown; readonly id?: unknown }) =>
        add(
          typeof event === 'object' && options === undefined
            ? raising(event as EventObject) // XState's type of it
            : () => actions.raises(event, options?.delay, options?.id),
        ),
      cancel: (timer: unknown) => add(() => actions.cancels(timer)),
      sendTo: refuse('xstate.sendTo'),
      sendParent: refuse('xstate.sendTo'),
      spawnChild: refuse('xstate.spawnChild'),
      stopChild: refuse('xstate.stopChild'),
    });
  }

  op(collect: Collect, params: (run: Run, event: EventObject) => unknown): Op {
    const { self, system } = this.scope;
    return (run, event) => {
      const given = params(run, event);
      const { context, situation } = run;
      const check = (guard: unknown) => this.guards.compiled(guard)(context, event, situation);
      const before = this.#queue;
      const queue: (() => Op)[] = [];
      this.#queue = queue;
      try {
        collect({ context, event, enqueue: this.#enqueue, check, self, system }, given);
      } finally {
        this.#queue = before;
      }
      for (const op of queue) op()(run, event);
    };
  }
}

const emitting = (event: EventObject): (() => Op) => {
  const op: Op = (run) => {
    run.effects.push({ type: 'emit', event });
  };
  return () => op;
};

const raising = (event: EventObject): (() => Op) => {
  const op: Op = (run) => {
    run.raised.push(event);
  };
  return () => op;
};
