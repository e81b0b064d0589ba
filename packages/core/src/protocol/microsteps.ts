import type { AnyStateMachine } from 'xstate';

/** So many transitions without an event are one step; a machine that needs more goes round and round. */
const mostMicrosteps = 1000;

/** Sees to it that a machine whose `always` transitions lead in a circle fails instead of never coming to rest, unless it sets a bound itself. */
export function boundMicrosteps(machine: AnyStateMachine): void {
  if (machine.options.maxIterations === Infinity) machine.options = { ...machine.options, maxIterations: mostMicrosteps };
}
