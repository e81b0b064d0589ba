import { ConclaveError } from '../../../base/error.js';
import { canonical } from '../../worlds/canonical.js';
import { nextOrFault } from '../../worlds/next-or-fault.js';
import { type Action, isStep, type World } from '../../worlds/world.js';
import type { Worlds } from '../../worlds/worlds.js';

/**
 * The run with crashes between steps instead of crashes in the middle of a step, where its end is
 * still a world for which `keeps` is true: a reader should see the middle of a step only where it
 * matters. A search finds either first, since a step with a crash in its middle is one action.
 */
export function withPlainCrashes(
  worlds: Worlds,
  run: readonly Action[],
  keeps: (end: World) => boolean,
): readonly Action[] {
  let best = run;
  for (let at = run.length - 1; at >= 0; at--) {
    const action = run[at];
    if (action?.type !== 'crash' || !action.during) continue;
    const plain: Action = { type: 'crash', node: action.node };
    const instead = isStep(action.during) ? [[plain], [action.during, plain]] : [[plain]];
    best =
      instead
        .map((actions) => best.toSpliced(at, 1, ...actions))
        .find((other) => ends(worlds, other, keeps)) ?? best;
  }
  return best;
}

/** Whether a run is possible, and `keeps` is true of its end. */
function ends(worlds: Worlds, run: readonly Action[], keeps: (end: World) => boolean): boolean {
  let { initial: world } = worlds;
  for (const action of run) {
    const wanted = canonical(action);
    if (!worlds.actions(world).some((possible) => canonical(possible) === wanted)) return false;
    const next = nextOrFault(worlds, world, action);
    if (next instanceof ConclaveError) return false;
    world = next;
  }
  return keeps(world);
}
