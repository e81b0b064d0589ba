import { type AnyStateMachine, StateMachine } from 'xstate';
import type { CompiledMachine } from './compiled-machine.js';
import { Configurations } from './configurations.js';
import { Interpreted } from './interpreted.js';
import { NotCompilable } from './not-compilable.js';
import { Planned } from './planned.js';
import { Plans } from './plans.js';

export type { CompiledMachine, PlainState, PlainStep } from './compiled-machine.js';
export type { Configuration } from './configurations.js';

const compiled = new WeakMap<AnyStateMachine, CompiledMachine>();

/**
 * `machine`, compiled; the same object for the same machine. Changes of the machine after that are
 * not seen.
 */
export function compile(machine: AnyStateMachine): CompiledMachine {
  const known = compiled.get(machine);
  if (known) return known;
  const made = compiledNow(machine);
  compiled.set(machine, made);
  return made;
}

function compiledNow(machine: AnyStateMachine): CompiledMachine {
  const configurations = new Configurations(machine);
  const interpreted = (why: string) => new Interpreted(machine, configurations, why);
  if (!(machine instanceof StateMachine)) return interpreted('was built by another copy of XState');
  try {
    return new Planned(
      machine,
      new Plans(machine, configurations),
      configurations,
      interpreted(''),
    );
  } catch (error) {
    if (error instanceof NotCompilable) return interpreted(error.message);
    throw error;
  }
}
