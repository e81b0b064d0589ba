import type { Action } from '@conclave/core/exploration';
import type { Moment, Run } from './run.js';

/**
 * An action that is possible all the way around an infinite run and never happens, although a fair
 * run would take it: a delivery, a timer, a choice or an obligatory command. Undefined where there
 * is none.
 *
 * @param first the moment to which the step of `tip` returns; before `tip`
 */
export function starvedOn(run: Run, first: Moment, tip: Moment): Action | undefined {
  const around = run.path(tip).slice(first.depth + 1);
  const taken = new Set(around.flatMap(({ step }) => (step ? [JSON.stringify(step.action)] : [])));
  const isFair = (action: Action) =>
    action.type === 'deliver' ||
    action.type === 'timeout' ||
    action.type === 'choose' ||
    (action.type === 'command' &&
      run.system.protocol.commands[action.command.type]?.kind === 'obligatory');
  const possible = around.map(
    (moment) => new Set(run.actions(moment).map((action) => JSON.stringify(action))),
  );
  return run.actions(tip).find((action) => {
    const text = JSON.stringify(action);
    return isFair(action) && !taken.has(text) && possible.every((texts) => texts.has(text));
  });
}
