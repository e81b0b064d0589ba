/**
 * Termination with probability 1, for protocols that draw by `choose`: no fairness of the explorer
 * says that draws are independent.
 */
import { type ExploreOptions, model } from '@conclave/core/exploration';
import type { Protocol, SystemView } from '@conclave/core/protocol';
import type { Topology } from '@conclave/core/topology';

type Model = ReturnType<typeof model>;
type World = Model['worlds']['initial'];

interface Place {
  readonly world: World;
  /** Whether its actions are the answers to one choice. */
  readonly draws: boolean;
  readonly isGoal: boolean;
  readonly next: readonly number[];
}

export interface AlmostSurely {
  readonly states: number;
  /**
   * The number of reachable worlds from which the goal is not reached with probability 1, whatever
   * the order of steps.
   */
  readonly failing: number;
  /** The largest number of choices that have to be answered well in a row. */
  readonly answers: number;
}

/**
 * Explores all worlds, and finds those from which each order of steps leads to the goal if choices
 * are answered well. If these are all worlds, each run reaches the goal with probability 1: from
 * each of its finitely many worlds, it does so within a bounded number of steps with a probability
 * of more than 0, as long as each answer has one. An order of steps that depends on earlier answers
 * does not change that.
 */
export function almostSurely(
  protocol: Protocol,
  topology: Topology,
  budget: ExploreOptions,
  goal: (system: SystemView) => boolean,
): AlmostSurely {
  const places = reachable(model(protocol, topology, budget), goal);
  const before = places.map((): number[] => []);
  for (const [place, { next }] of places.entries())
    for (const after of next) before[after]?.push(place);
  const open = places.map(({ next }) => next.length);
  const answers = places.map(({ isGoal }) => (isGoal ? 0 : Infinity));
  let wave = places.flatMap(({ isGoal }, place) => (isGoal ? [place] : []));
  // Waves by the number of answers: steps without a choice belong to the wave of the worst world
  // that they lead to.
  while (wave.length > 0) {
    const drawn: number[] = [];
    for (let place = wave.pop(); place !== undefined; place = wave.pop())
      for (const earlier of before[place] ?? []) {
        open[earlier] = (open[earlier] ?? 0) - 1;
        if (answers[earlier] !== Infinity) continue;
        const own = answers[place] ?? Infinity;
        if (places[earlier]?.draws) {
          answers[earlier] = own + 1;
          drawn.push(earlier);
        } else if (open[earlier] === 0) {
          answers[earlier] = own;
          wave.push(earlier);
        }
      }
    wave = drawn;
  }
  const reached = answers.filter((count) => count !== Infinity);
  return {
    states: places.length,
    failing: answers.length - reached.length,
    answers: Math.max(...reached),
  };
}

function reachable(
  { worlds, options }: Model,
  goal: (system: SystemView) => boolean,
): readonly Place[] {
  const numbers = new Map<string, number>();
  const queue: World[] = [];
  const numberOf = (world: World): number => {
    const key = options.serializeState({ world });
    const known = numbers.get(key);
    if (known !== undefined) return known;
    numbers.set(key, queue.length);
    return queue.push(world) - 1;
  };
  numberOf(worlds.initial);
  const places: Place[] = [];
  for (let world = queue[0]; world; world = queue[places.length]) {
    const from = world;
    const next = worlds.actions(from).map((action) => numberOf(worlds.next(from, action)));
    places.push({
      world: from,
      draws: from.choosing.length > 0,
      isGoal: goal(worlds.view(from)),
      next,
    });
  }
  return places;
}
