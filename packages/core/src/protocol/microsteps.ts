import type { AnyStateMachine } from 'xstate';

/** A machine that takes more transitions than this in one step is in an endless loop. */
const mostMicrosteps = 1000;

/**
 * Bounds the `always` transitions of a step, unless the machine does: an endless loop of them
 * fails.
 */
export function boundMicrosteps(machine: AnyStateMachine): void {
  if (machine.options.maxIterations === Infinity)
    machine.options = { ...machine.options, maxIterations: mostMicrosteps };
}
