import type { Abstraction } from './abstraction.js';
import { outside } from './data.js';
import type { LocalSteps } from './local-steps.js';
import type { PartialWorld } from './partial-worlds.js';
import { everyWorld, type PropertyCheck } from './property-check.js';
import type { PropertyJudge } from './property-judge.js';

/**
 * Whether a property counts to one, as *there is exactly one token* does: it is fulfilled where
 * exactly one node or message fulfils it alone. That is so in each world that was tried, exactly one
 * does at the start, and each step leads to as many as it began with. Besides, no view with at most
 * one of them violates it, if one that has none has one outside.
 */
export function isConserved(check: PropertyCheck, found: Abstraction): boolean {
  const { stepping, fixpoint, ordered } = found;
  if (ordered.length > 0) return false; // their views are not put together to larger worlds
  const { family, local, parts } = stepping;
  const inWorld = (world: PartialWorld): number =>
    world.reduce((sum, number) => {
      const { role, state, out } = parts.at(number);
      const inside = Object.entries(out).flatMap(([to, sent]) => (to === outside ? [] : sent));
      return sum + check.among(role, state, inside);
    }, 0);
  const sizes = [...family.free.keys(), family.free.length].filter(
    (free) => free + family.fixed.length > 0 && family.has(free),
  );
  return (
    sizes.every((free) => inWorld(stepping.initial(free)) === 1) &&
    isKept(check, local) &&
    found.smaller.every((world) => check.isFulfilled(world)) &&
    isFulfilledByOne(check, found, inWorld) &&
    everyWorld(found, (world) => check.isFulfilled(world) === (inWorld(world) === 1)) &&
    [...fixpoint.views.values()].every((view) =>
      [...check.crowds(view)].every(({ nodes, fixed, places }) => {
        const count = inWorld([
          ...view.slice(0, fixed.length),
          ...places.map(({ number }) => number),
        ]);
        return check.holdsForCrowd([...fixed, ...nodes]) !== (count !== 1);
      }),
    )
  );
}

/** Whether each step leads to as many as it began with. */
export const isKept = (check: PropertyJudge, { all }: LocalSteps): boolean =>
  all.every(({ role, state, event, outcomes }) => {
    const before = check.among(role, state, event.kind === 'message' ? [event.message] : []);
    return outcomes.every(
      (taken) =>
        taken.failure ||
        before ===
          check.among(
            role,
            taken.state,
            taken.sends.map(({ message }) => message),
          ),
    );
  });

function isFulfilledByOne(
  check: PropertyCheck,
  { stepping, fixpoint }: Abstraction,
  inWorld: (world: PartialWorld) => number,
): boolean {
  const views = [...fixpoint.views.values()];
  const counting = new Set(views.flatMap((view) => view.filter((part) => inWorld([part]) === 1)));
  const away = stepping.family.free.at(-1) ?? '';
  return views.every((view) => {
    const count = inWorld(view);
    if (count > 0) return count > 1 || check.isFulfilled(view);
    return [...counting].every((part) => {
      const { role, state, out } = stepping.parts.at(part);
      const sent = Object.fromEntries(Object.entries(out).map(([, all]) => [away, all]));
      return check.isFulfilled(view, [check.seenNode({ role, state, out: sent }, away)]);
    });
  });
}
