import { canonical } from '../worlds/canonical.js';
import { outside } from './data.js';
import type { LocalEvent } from './local-event.js';
import { keyOf, type PartialWorld, type WorldSet } from './partial-worlds.js';
import type { Origin, Stepping } from './stepping.js';
import { Unprovable } from './unprovable.js';
import { originLines } from './world-text.js';

export interface Fixpoint {
  /** All views, with the step that led to them; none for those of the start. */
  readonly views: WorldSet;
  readonly origins: ReadonlyMap<string, Origin>;
  /** The worlds that were put together of the views. */
  readonly worlds: readonly PartialWorld[];
  readonly steps: number;
  /** How many states of a node in a world of a few were put together, instead of worlds. */
  readonly joined?: number;
  /** How many messages there are of types of which any number may be on its way. */
  readonly piled: number;
}

const mostViews = 20_000;

/** Views, each with the step that has led to it first. */
export class KnownViews {
  readonly views: WorldSet = new Map();
  readonly origins = new Map<string, Origin>();

  constructor(private readonly k: number) {}

  /** Whether the view is new. */
  learn(view: PartialWorld, origin?: Origin): boolean {
    const key = keyOf(view);
    if (this.views.has(key)) return false;
    this.views.set(key, view);
    if (origin) this.origins.set(key, origin);
    if (this.views.size > mostViews)
      throw new Unprovable(`there are more than ${mostViews} views of ${this.k} nodes`);
    return true;
  }
}

/**
 * The views of `k` nodes that the views of the start lead to: of all worlds of `k` to `most` free
 * nodes whose views are known, all steps are taken, until no new view appears.
 * @throws {Unprovable} where one may fail, or views are too many.
 */
export function fixpointOf(
  stepping: Stepping,
  k: number,
  most: number,
  starts: readonly number[],
): Fixpoint {
  const { worlds } = stepping;
  const known = new KnownViews(k);
  const { views, origins } = known;
  const done = new Map<string, PartialWorld>();
  /** The worlds whose views are known. */
  const shown = new Set<string>();
  let steps = 0;
  for (const free of starts)
    for (const view of worlds.views(stepping.initial(free), k)) known.learn(view);
  const step = (origin: Origin, position: number): void => {
    const { world, event } = origin;
    steps++;
    for (const taken of stepping.take(world, position, event)) {
      if (taken.failure) {
        if (looksOutside(stepping, world, position, event)) continue;
        throw new Unprovable(`a step may fail: ${taken.failure.message}`);
      }
      const next = stepping.after(world, position, event, taken);
      const key = keyOf(next);
      if (shown.has(key)) continue;
      shown.add(key);
      for (const view of worlds.views(next, k)) known.learn(view, origin);
    }
  };
  const expand = (world: PartialWorld): void => {
    const names = stepping.family.names(worlds.freeIn(world));
    for (const [position, event] of stepping.events(world)) {
      const origin: Origin = { world, actor: names[position] ?? '', event };
      explained(stepping, origin, () => step(origin, position));
    }
  };
  /** Takes the steps of the worlds of more and more nodes, until one leads to a new view. */
  const round = (): void => {
    const before = views.size;
    let allowed: WorldSet = new Map(views);
    for (let free = k; free <= most && views.size === before; free++) {
      if (free > k) allowed = worlds.larger(allowed);
      for (const [key, world] of allowed) {
        if (done.has(key)) continue;
        done.set(key, world);
        expand(world);
      }
    }
  };
  for (let before = -1, piled = 0; before < views.size; ) {
    before = views.size;
    round();
    if (stepping.piledMessages === piled) continue;
    piled = stepping.piledMessages; // all worlds may receive them
    done.clear();
    before = -1;
  }
  return {
    views,
    origins,
    worlds: [...done.values()],
    steps,
    piled: stepping.piledMessages,
  };
}

/** A step that ends the proof says from which world it leads. */
export function explained(stepping: Stepping, origin: Origin, take: () => void): void {
  try {
    take();
  } catch (error) {
    if (!(error instanceof Unprovable) || error.because) throw error;
    throw new Unprovable(error.message, originLines(stepping, origin));
  }
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
