import { nextOrFault } from '@conclave/core/internal/exploration';
import { ConclaveError } from '@conclave/core/protocol';
import { batch } from '@preact/signals';
import type { Setup } from '../../link/setup.js';
import type { Finding } from '../../model/conclusion.js';
import type { Session } from '../../model/session.js';
import { attempt, begin, session, view } from '../studio.js';

/** Shows the run of a finding in the world view, as a branch of the session of that setup. */
export function openRun(setup: Setup, finding: Finding, from: 'start' | 'end'): Promise<void> {
  return attempt(async () => {
    if (session.peek()?.system.setup !== setup) await begin(setup, 'check');
    const shown = session.peek();
    const { steps = [], loopsFromStep: loopsFrom, trace } = finding;
    if (!shown) return;
    batch(() => {
      const fault = trace?.header.get('fault');
      const run = fault === undefined ? steps : withFault(shown, steps, fault);
      const end = loopsFrom ?? run.length;
      shown.show(run, {
        at: from === 'start' ? 0 : end,
        ...(loopsFrom === undefined ? {} : { loopsFrom }),
      });
      view.value = 'world';
    });
  });
}

/** With the step that fails: its node cannot take it. */
function withFault(
  { system: { worlds } }: Session,
  steps: readonly number[],
  fault: string,
): readonly number[] {
  let world = worlds.initial;
  for (const number of steps) {
    const action = worlds.actions(world)[number];
    if (action) world = worlds.next(world, action);
  }
  const failing = worlds.actions(world).findIndex((action) => {
    const next = nextOrFault(worlds, world, action);
    return next instanceof ConclaveError && next.message === fault;
  });
  return failing < 0 ? steps : [...steps, failing];
}
