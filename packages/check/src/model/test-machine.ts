/**
 * A model test of a bare machine: the real one, in XState's own actor, takes each step of its model,
 * and is compared with it after each. So an effect that changes what the machine reads, which every
 * verdict assumes that none does, is found here.
 *
 * What the machine invokes or spawns is replaced by logic that does nothing until the path ends it:
 * a promise is resolved or rejected where the model says so. Timers fire where the model says so.
 * Actions run as they are: `machine.provide({ actions })` keeps those that must not.
 */

import { actorsField, partOfEnd } from '@conclave/core/internal';
import type { Command, Json, LocalState } from '@conclave/core/protocol';
import { type Beside, ConclaveError, machineProtocol } from '@conclave/core/protocol';
import { complete } from '@conclave/core/topology';
import { linesText } from '@conclave/core/trace';
import {
  type Actor,
  type ActorLogic,
  type AnyStateMachine,
  createActor,
  type EventObject,
  type Snapshot,
} from 'xstate';
import { badInput } from '../base/bad-input.js';
import type { Budget } from '../worlds/budget.js';
import { runLines } from '../worlds/run-lines.js';
import type { Action, World } from '../worlds/world.js';
import { worldKey } from '../worlds/world-key.js';
import { nextOrFault, Worlds } from '../worlds/worlds.js';
import { differenceOf, pathFailure } from './failure.js';

/** What a model test has done. */
export interface ModelTested {
  readonly paths: number;
  /** Actions performed on embedded nodes, or on actors. */
  readonly steps: number;
  /** Worlds compared with the embedded nodes, or with the actors. */
  readonly comparisons: number;
}

/** A machine with more worlds is not tested as a whole. */
const mostWorlds = 20_000;

/**
 * Tests every step of the model of `machine`: for each, a fresh actor takes a shortest path to it.
 * Where a path goes on with the next step, both are one path.
 */
export function testMachine(
  machine: AnyStateMachine,
  options: Beside & Pick<Budget, 'commands'>,
): ModelTested {
  const { commands, ...beside } = options;
  const protocol = machineProtocol(machine, beside, { isAlone: true });
  const worlds = new Worlds(protocol, complete(1), commands === undefined ? {} : { commands });
  const isolated = withoutActors(machine);
  const tested = { paths: 0, steps: 0, comparisons: 0 };
  const paths = stepPaths(worlds);
  for (const [number, path] of paths.entries()) {
    const run = new MachineRun(isolated, beside.input);
    tested.paths++;
    let world = worlds.initial;
    const compare = (taken: number) => {
      const difference = run.differenceTo(world.nodes.a as LocalState); // the only node
      tested.comparisons++;
      if (difference === undefined) return;
      const place = { protocol, path: number, paths: paths.length };
      const { lines } = runLines(worlds, path.slice(0, taken));
      throw pathFailure(place, taken, difference, lines);
    };
    compare(0);
    for (const [at, action] of path.entries()) {
      run.take(action);
      world = worlds.next(world, action);
      tested.steps++;
      compare(at + 1);
    }
    run.stop();
  }
  return tested;
}

/** A found world, and the step that led to it from another one. */
interface Found {
  readonly world: World;
  readonly by?: { readonly action: Action; readonly from: Found };
}

function pathTo({ by }: Found): readonly Action[] {
  const path: Action[] = [];
  for (let step = by; step; step = step.from.by) path.push(step.action);
  return path.reverse();
}

/** To each step of the system a shortest path; those that begin another one are left out. */
function stepPaths(worlds: Worlds): readonly (readonly Action[])[] {
  const keyOf = (world: World) => worldKey(world, worlds.order);
  const known = new Set([keyOf(worlds.initial)]);
  const open: Found[] = [{ world: worlds.initial }];
  const paths: (readonly Action[])[] = [];
  for (const from of open) {
    const { world } = from;
    const actions = worlds.actions(world);
    if (actions.length === 0) paths.push(pathTo(from));
    for (const action of actions) {
      const next = nextOrFault(worlds, world, action);
      if (next instanceof ConclaveError)
        throw new ConclaveError(
          next.code,
          `${next.what}\nafter\n${linesText(runLines(worlds, pathTo(from)).lines)}`,
          next.cure,
        );
      const found = { world: next, by: { action, from } };
      const key = keyOf(next);
      if (known.has(key)) paths.push(pathTo(found));
      else open.push(found);
      known.add(key);
      if (known.size > mostWorlds)
        throw badInput(
          `The machine has more than ${mostWorlds} states`,
          'Test a part of them, as by testModel(machine, { commands: 2 }).',
        );
    }
  }
  return paths;
}

/** The machine itself in an actor, moved by the actions of its model. */
class MachineRun {
  readonly #actor: Actor<AnyStateMachine>;
  #error: unknown;

  constructor(machine: AnyStateMachine, input: Json | undefined) {
    const clock = { setTimeout: () => 0, clearTimeout: () => {} }; // timers fire by the path
    const logger = () => {};
    this.#actor = createActor(machine, { clock, logger, ...(input !== undefined && { input }) });
    this.#actor.subscribe({
      error: (error) => {
        this.#error = error;
      },
    });
    this.#actor.start();
  }

  take(action: Action): void {
    if (action.type === 'timeout') return this.#fire(action.timer);
    if (action.type === 'command') this.#send(action.command);
  }

  stop(): void {
    this.#actor.stop();
  }

  /** What is not as in the model; undefined where all is the same. */
  differenceTo({ value, context, timers }: LocalState): string | undefined {
    if (this.#error !== undefined)
      return `the machine fails: ${Object(this.#error).message ?? this.#error}`;
    const found = this.#actor.getSnapshot();
    const { [actorsField]: _, ...modelled } = Object(context);
    const armed = found.status === 'active' ? this.#timers().map(({ id }) => id) : [];
    return differenceOf(
      'the machine',
      { value, context: modelled, timers: timers.map(({ id }) => id).sort() },
      { value: found.value, context: plain(found.context), timers: armed.sort() },
    );
  }

  /** An end is what becomes of the actor; any other event comes as it is. */
  #send(command: Command): void {
    const { part, id } = partOfEnd(command.type);
    const child = this.#actor.getSnapshot().children[id];
    if (child && (part === 'done' || part === 'error')) child.send({ ...command, type: part });
    else this.#actor.send(command);
  }

  #fire(timer: string): void {
    const scheduled = this.#timers().find(({ id }) => id === timer);
    this.#actor.system.scheduler.cancel(this.#actor, timer);
    if (scheduled) this.#actor.send(scheduled.event);
  }

  #timers() {
    return Object.values(this.#actor.system.getSnapshot()._scheduledEvents).filter(
      ({ source }) => source === this.#actor,
    );
  }
}

/** A context as its model has it: without absent fields, and an actor by the id that it was given. */
function plain(context: unknown): unknown {
  const text = JSON.stringify(context, (_, value: unknown) => {
    const { xstate$$type, id } = Object(value); // the JSON of an actor
    return xstate$$type === undefined ? value : /^x:\d+$/.test(id) ? 'an actor' : id;
  });
  return JSON.parse(text);
}

type Config = Readonly<Record<string, unknown>>;

/** An actor that does nothing until it is told how it ends. */
const inert: ActorLogic<Snapshot<unknown>, EventObject & { output?: unknown; error?: unknown }> = {
  getInitialSnapshot: () => ({ status: 'active', output: undefined, error: undefined }),
  transition: (snapshot, { type, output, error }) =>
    type === 'done'
      ? { status: 'done', output, error: undefined }
      : type === 'error'
        ? { status: 'error', output: undefined, error }
        : snapshot,
  getPersistedSnapshot: (snapshot) => snapshot,
};

/** The machine whose actors are {@link inert}. */
function withoutActors(machine: AnyStateMachine): AnyStateMachine {
  const { config, implementations } = machine;
  const mapped = (record: unknown, change: (value: Config) => unknown): Config =>
    Object.fromEntries(
      Object.entries(Object(record)).map(([key, value]) => [key, change(Object(value))]),
    );
  const stateOf = ({ invoke, states, ...others }: Config): Config => ({
    ...others,
    ...(invoke !== undefined && {
      invoke: [invoke].flat().map((one) => ({ ...Object(one), src: inert })),
    }),
    ...(states !== undefined && { states: mapped(states, stateOf) }),
  });
  return Reflect.construct(machine.constructor, [
    stateOf(config),
    { ...implementations, actors: mapped(implementations.actors, () => inert) },
  ]) as AnyStateMachine; // of the same class
}
