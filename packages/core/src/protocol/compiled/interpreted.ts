import {
  type AnyMachineSnapshot,
  type AnyStateMachine,
  type EventObject,
  initialTransition,
} from 'xstate';
import { ConclaveError } from '../../base/error.js';
import { handles } from '../handles.js';
import type { Timer } from '../step.js';
import { transition } from '../transition.js';
import type { CompiledMachine, PlainState, PlainStep } from './compiled-machine.js';
import type { Configurations } from './configurations.js';
import type { PlainEffect } from './situation.js';

interface ExecutedAction {
  readonly type: string;
  readonly params?: unknown;
}

const noEffects: readonly PlainEffect[] = Object.freeze([]);

/**
 * The steps of a machine as XState takes them: of a machine that is not compiled, and to give the
 * error of one that is.
 */
export class Interpreted implements CompiledMachine {
  constructor(
    readonly machine: AnyStateMachine,
    private readonly configurations: Configurations,
    readonly uncompiled: string,
  ) {}

  start(input: unknown): PlainStep {
    const [snapshot, actions] = initialTransition(this.machine, input);
    return this.#settled(snapshot, actions);
  }

  step(state: PlainState, event: EventObject): PlainStep | undefined {
    const snapshot = this.#snapshot(state);
    return handles(this.machine, snapshot, event) ? this.#taken(snapshot, event) : undefined;
  }

  fire(state: PlainState, event: EventObject): PlainStep {
    return this.#taken(this.#snapshot(state), event);
  }

  takes(state: PlainState, event: EventObject): boolean {
    return handles(this.machine, this.#snapshot(state), event);
  }

  resolve(
    ...[value, context, history, status]: Parameters<CompiledMachine['resolve']>
  ): PlainState {
    return { configuration: this.configurations.resolve(value, history, status), context };
  }

  #snapshot({ configuration, context }: PlainState): AnyMachineSnapshot {
    return this.configurations.snapshot(configuration, context);
  }

  #taken(snapshot: AnyMachineSnapshot, event: EventObject): PlainStep {
    return this.#settled(...transition(this.machine, snapshot, event));
  }

  #settled(snapshot: AnyMachineSnapshot, actions: readonly ExecutedAction[]): PlainStep {
    if (snapshot.status === 'error') throw snapshot.error;
    if (Object.keys(snapshot.children).length > 0) throw this.#refused('spawns an actor');
    if (snapshot.status === 'stopped')
      throw this.#refused("takes 'xstate.stop', which stops an actor");
    const effects = actions.flatMap((action) => this.#effect(action) ?? []);
    const state = { configuration: this.configurations.of(snapshot), context: snapshot.context };
    return { state, effects: effects.length > 0 ? effects : noEffects };
  }

  #effect({ type, params }: ExecutedAction): PlainEffect | undefined {
    switch (type) {
      case 'xstate.emit':
        // XState's own shape of this action
        return { type: 'emit', event: (params as { event: EventObject }).event };
      case 'xstate.raise': {
        // XState's own shape of this action
        const { event, id, delay } = params as Partial<Timer> & Pick<Timer, 'event'>;
        if (delay === undefined) return undefined; // it was taken in this same step
        if (id === undefined)
          throw this.#refused(
            `raises '${event.type}' after ${delay} ms without an id`,
            'Give it one: raise(event, { delay, id }).',
          );
        return { type: 'start', timer: { id, delay, event } };
      }
      case 'xstate.cancel':
        // XState's own shape of this action
        return { type: 'cancel', timer: (params as { sendId: string }).sendId };
      case 'xstate.log':
        return undefined;
      default:
        throw this.#refused(`runs the action '${type}'`);
    }
  }

  #refused(
    what: string,
    cure = 'As pure logic, a machine acts by assign, emit, raise and cancel only.',
  ): ConclaveError {
    return new ConclaveError('bad-protocol', `Machine '${this.machine.id}' ${what}`, cure);
  }
}
