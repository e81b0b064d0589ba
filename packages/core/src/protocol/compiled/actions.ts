/**
 * Actions as operations of a plan. XState gives each of its built-in actions a function `resolve`,
 * the same for all that one creator makes: by that function, not by a type's name, they are
 * recognised. So an action of the user that happens to be called `xstate.assign` is none. Of a
 * machine with another action XState takes the steps itself.
 */
import {
  type AnyStateMachine,
  assign,
  cancel,
  type EventObject,
  emit,
  enqueueActions,
  log,
  raise,
} from 'xstate';
import type { Timer } from '../step.js';
import type { Guards } from './guards.js';
import { NotCompilable } from './recorder.js';
import type { Context, Op, PlainEffect, Run, Scope } from './situation.js';

/** User code in an action; `params` as XState gives them. */
type Expression = (args: object, params: unknown) => unknown;
/** The parameters of an action. */
type Given = (run: Run, event: EventObject) => unknown;
type Params = (args: { readonly context: Context; readonly event: EventObject }) => unknown;

/** XState's own shape of its actions. */
interface BuiltIn {
  readonly type: string;
  readonly resolve: unknown;
  readonly assignment: Expression | Readonly<Record<string, unknown>>;
  readonly event: Expression | EventObject;
  readonly delay: Expression | string | number | undefined;
  readonly id: string | undefined;
  readonly sendId: Expression | string;
  readonly value: unknown;
  readonly collect: Expression;
}

const resolveOf = (made: unknown): unknown => (made as BuiltIn).resolve; // they have one
const resolves = {
  assign: resolveOf(assign({})),
  emit: resolveOf(emit({ type: '' })),
  raise: resolveOf(raise({ type: '' })),
  cancel: resolveOf(cancel('')),
  log: resolveOf(log()),
  enqueueActions: resolveOf(enqueueActions(() => {})),
};

/** The actions of one machine. */
export class Actions {
  /** Whether one of them logs. */
  logs = false;
  readonly #named = new Map<string, Op>();
  readonly #enqueuing: Enqueuing;

  constructor(
    private readonly machine: AnyStateMachine,
    readonly guards: Guards,
    private readonly scope: Scope,
  ) {
    this.#enqueuing = new Enqueuing(this, guards, scope);
  }

  /** @throws {NotCompilable} for an action that is not XState's, or does not exist. */
  compiled(action: unknown): Op {
    if (typeof action === 'function') return this.#function(action, undefined);
    if (typeof action !== 'string') return this.#parameterized(action);
    const known = this.#named.get(action);
    if (known) return known;
    const made = this.#parameterized({ type: action });
    this.#named.set(action, made);
    return made;
  }

  #parameterized(action: unknown): Op {
    if (typeof action !== 'object' || action === null || !('type' in action))
      throw new NotCompilable('has an action that XState does not know');
    const name = String(action.type);
    const actions: Readonly<Record<string, unknown>> = this.machine.implementations.actions;
    const found = actions[name];
    if (!found) throw new NotCompilable(`runs the action '${name}', which does not exist`);
    if (typeof found !== 'function')
      throw new NotCompilable(`runs the action '${name}', which is no function`);
    return this.#function(found, 'params' in action ? action.params : undefined, name);
  }

  #function(
    found: object,
    params: unknown,
    name = 'name' in found && found.name ? String(found.name) : '(anonymous)',
  ): Op {
    if (!('resolve' in found)) throw new NotCompilable(`runs the action '${name}'`);
    const action = found as BuiltIn;
    if (typeof params !== 'function') return this.#op(action, () => params);
    const ask = params as Params; // XState's type of it
    return this.#op(action, (run, event) => ask({ context: run.context, event }));
  }

  #op(action: BuiltIn, params: Given): Op {
    switch (action.resolve) {
      case resolves.assign:
        return this.assigns(action.assignment, params);
      case resolves.emit:
        return this.emits(action.event, params);
      case resolves.raise:
        return this.raises(action.event, action.delay, action.id, params);
      case resolves.cancel:
        return this.cancels(action.sendId, params);
      case resolves.log:
        return this.#logs(action.value, params);
      case resolves.enqueueActions:
        return this.#enqueuing.op(action.collect, params);
      default:
        throw new NotCompilable(`uses ${action.type}`);
    }
  }

  assigns(assignment: unknown, params = none): Op {
    const { self, system } = this.scope;
    if (typeof assignment === 'function')
      return (run, event) => {
        const { context } = run;
        const given = params(run, event);
        run.context = { ...context, ...assignment({ context, event, spawn, self, system }, given) };
        run.assigned = true;
      };
    if (typeof assignment !== 'object' || assignment === null)
      throw new NotCompilable('assigns neither an object nor by a function');
    const fields = Object.entries(assignment);
    return (run, event) => {
      const { context } = run;
      const given = params(run, event);
      const args = { context, event, spawn, self, system };
      const next: Record<string, unknown> = { ...context };
      for (const [key, field] of fields)
        next[key] = typeof field === 'function' ? field(args, given) : field;
      run.context = next;
      run.assigned = true;
    };
  }

  emits(event: unknown, params = none): Op {
    if (typeof event === 'function') {
      const emitted = event as Expression; // XState's type of it
      return (run, cause) => {
        const given = params(run, cause);
        run.effects.push({
          type: 'emit',
          event: emitted(this.#args(run, cause), given) as EventObject,
        }); // its holder checks it
      };
    }
    // its holder checks it
    const effect = Object.freeze<PlainEffect>({ type: 'emit', event: event as EventObject });
    return (run, cause) => {
      params(run, cause);
      run.effects.push(effect);
    };
  }

  raises(event: unknown, delay: unknown, id: unknown, params = none): Op {
    if (typeof event === 'string') throw new NotCompilable('raises a string');
    const delays: Readonly<Record<string, unknown>> = this.machine.implementations.delays;
    const wait = typeof delay === 'string' ? delays[delay] : delay;
    const isConstant = typeof event !== 'function' && typeof wait === 'number' && id !== undefined;
    const effect = isConstant ? started(id, wait, event) : undefined;
    if (effect)
      return (run, cause) => {
        params(run, cause);
        run.effects.push(effect);
      };
    return (run, cause) => {
      const given = params(run, cause);
      const args = this.#args(run, cause);
      const raised: unknown = typeof event === 'function' ? event(args, given) : event;
      const after: unknown = typeof wait === 'function' ? wait(args, given) : wait;
      if (typeof after !== 'number') run.raised.push(raised as EventObject); // XState's type of it
      if (after !== undefined) run.effects.push(started(id, after, raised));
    };
  }

  cancels(timer: unknown, params = none): Op {
    if (typeof timer !== 'function') {
      // XState's type of it
      const effect = Object.freeze<PlainEffect>({ type: 'cancel', timer: timer as string });
      return (run, cause) => {
        params(run, cause);
        run.effects.push(effect);
      };
    }
    return (run, cause) => {
      const given = params(run, cause);
      run.effects.push({ type: 'cancel', timer: timer(this.#args(run, cause), given) });
    };
  }

  /** What it logs is computed, as XState does, and dropped. */
  #logs(value: unknown, params = none): Op {
    this.logs = true;
    return (run, event) => {
      const given = params(run, event);
      if (typeof value === 'function') value(this.#args(run, event), given);
    };
  }

  #args({ context }: Run, event: EventObject): object {
    const { self, system } = this.scope;
    return { context, event, self, system };
  }
}

/** @throws {NotCompilable} without an id: XState gives such a timer a random one. */
function started(id: unknown, delay: unknown, event: unknown): PlainEffect {
  if (id === undefined) throw new NotCompilable('raises an event after a delay without an id');
  // XState's types of them
  return Object.freeze({ type: 'start', timer: Object.freeze({ id, delay, event } as Timer) });
}

const none: Given = () => undefined;

/** Compiles what is enqueued. */
interface Enqueued {
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
class Enqueuing {
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

/** What user code gets as XState's `spawn`. */
export const spawn = (): never => {
  throw new NotCompilable('spawns an actor');
};
