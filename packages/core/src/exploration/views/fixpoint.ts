import { canonical } from '../worlds/canonical.js';
import { outside } from './data.js';
import type { LocalEvent, Taken } from './local-steps.js';
import { keyOf, type PartialWorld, type WorldSet } from './partial-worlds.js';
import type { Origin, Stepping } from './stepping.js';
import { Unprovable } from './unprovable.js';
import { originLines } from './world-text.js';

export interface Fixpoint {
  /** All views, with the step that led to them; none for those of the start. */
  readonly views: WorldSet;
  readonly origins: ReadonlyMap<string, Origin>;
  /** Steps of worlds that fail. */
  readonly failures: readonly (Origin & { readonly taken: Taken })[];
  /** The worlds that were put together of the views. */
  readonly worlds: readonly PartialWorld[];
  readonly steps: number;
}

const mostViews = 20_000;

/**
 * The views of `k` nodes that the views of the start lead to: of all worlds of `k` to `most` free
 * nodes whose views are known, all steps are taken, until no new view appears.
 */
export function fixpointOf(
  stepping: Stepping,
  k: number,
  most: number,
  starts: readonly number[],
): Fixpoint {
  const { worlds } = stepping;
  const views: WorldSet = new Map();
  const origins = new Map<string, Origin>();
  const failures: (Origin & { readonly taken: Taken })[] = [];
  const done = new Map<string, PartialWorld>();
  /** The worlds whose views are known. */
  const shown = new Set<string>();
  let steps = 0;
  const learn = (view: PartialWorld, origin?: Origin): void => {
    const key = keyOf(view);
    if (views.has(key)) return;
    views.set(key, view);
    if (origin) origins.set(key, origin);
    if (views.size > mostViews)
      throw new Unprovable(`there are more than ${mostViews} views of ${k} nodes`);
  };
  for (const free of starts)
    for (const view of worlds.views(stepping.initial(free), k)) learn(view);
  const step = (origin: Origin, position: number): void => {
    const { world, event } = origin;
    const taken = stepping.take(world, position, event);
    steps++;
    if (taken.failure) {
      if (!looksOutside(stepping, world, position, event)) failures.push({ ...origin, taken });
      return;
    }
    const next = stepping.after(world, position, event, taken);
    const key = keyOf(next);
    if (shown.has(key)) return;
    shown.add(key);
    for (const view of worlds.views(next, k)) learn(view, origin);
  };
  const expand = (world: PartialWorld): void => {
    const names = stepping.family.names(worlds.freeIn(world));
    for (const [position, event] of stepping.events(world)) {
      const origin: Origin = { world, actor: names[position] ?? '', event };
      try {
        step(origin, position);
      } catch (error) {
        if (!(error instanceof Unprovable) || error.because) throw error;
        throw new Unprovable(error.message, originLines(stepping, origin));
      }
    }
  };
  for (let known = -1; known < views.size; ) {
    known = views.size;
    let allowed: WorldSet = new Map(views);
    for (let free = k; free <= most; free++) {
      for (const [key, world] of allowed) {
        if (done.has(key)) continue;
        done.set(key, world);
        expand(world);
      }
      if (free < most && views.size === known) allowed = worlds.larger(allowed);
      else if (free < most) break; // first the views that smaller worlds lead to
    }
  }
  return { views, origins, failures, worlds: [...done.values()], steps };
}

/**
 * Whether a node of which a view lacks something takes a step: such a step may fail for that reason
 * alone, and a world that has the missing node tells.
 */
function looksOutside(
  stepping: Stepping,
  world: PartialWorld,
  position: number,
  event: LocalEvent,
): boolean {
  const { state } = stepping.parts.at(world[position] ?? 0);
  return canonical([state.context, event]).includes(`"${outside}"`);
}
