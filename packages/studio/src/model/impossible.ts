import { say } from '../texts/say.js';
import { actionsWithMore, lacking } from './larger-budget.js';
import { type Impossible, keyOf, kindOf, targetOf, withTimes } from './possible.js';
import { reasonAgainst } from './reasons.js';
import type { Moment, Run } from './run.js';
import { wanted } from './wanted.js';
import { wordsOf } from './words.js';

/**
 * What a user may want to do at a moment and cannot, each with its reason: of the channels, the
 * nodes, the network as a whole.
 */
export function impossible(run: Run, moment: Moment): readonly Impossible[] {
  const { system } = run;
  const { world } = moment;
  const keys = (actions: ReturnType<Run['actions']>) =>
    new Set(actions.map((action) => keyOf(action, targetOf(system.worlds, world, action))));
  const happens = keys(run.actions(moment));
  const isClosed = world.choosing.length > 0 || moment.step?.fault !== undefined;
  const withMore = isClosed ? new Set<string>() : keys(actionsWithMore(system, world));
  return wanted(system, world).flatMap(({ action, target }): Impossible[] => {
    const key = keyOf(action, target);
    if (happens.has(key)) return [];
    const text =
      action.type === 'split'
        ? say('split the network')
        : wordsOf(withTimes(system), world, action);
    const against = withMore.has(key)
      ? lacking(system, action)
      : { why: reasonAgainst(system, moment, action, target) };
    return [{ kind: kindOf(action), target, action, text, ...against }];
  });
}
