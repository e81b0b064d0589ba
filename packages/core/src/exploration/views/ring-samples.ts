import { Random } from '../../base/random.js';
import type { Json, Message, NodeId } from '../../protocol/node.js';
import type { LocalState } from '../../protocol/step.js';
import { outside } from './data.js';
import { filled } from './ring-names.js';
import { between, type RingAbstraction, ringSizes } from './ring-proof.js';
import { nextOf, type Place, type RingWorld } from './ring-world.js';

const samples = 150;

/**
 * Rings on which a property is tried: those of random runs, mixtures of them, and others, also
 * unreachable ones, whose nodes are in any state and have sent anything that views have, but with any
 * names.
 */
export function* ringsToTry(found: RingAbstraction): Iterable<RingWorld> {
  const random = new Random(1);
  for (const run of found.runs) {
    yield* run;
    for (let sample = 0; sample < samples; sample++) {
      const chosen = few(run, random);
      yield (run[0] ?? []).map((place, at) => random.pick(chosen)[at] ?? place);
    }
  }
  const { free } = found.worlds.family;
  for (const n of [...between(2, ringSizes.some), free.length])
    yield* ofLength(found, random.shuffled(free.slice(0, n)), random);
}

/** Some items, at most three. */
const few = <T>(items: readonly T[], random: Random): readonly T[] =>
  Array.from({ length: 1 + random.below(3) }, () => random.pick(items));

/** Few different kinds of states at a time; and each state in each place. */
function* ofLength(
  { worlds, views }: RingAbstraction,
  order: readonly NodeId[],
  random: Random,
): Iterable<RingWorld> {
  const states = [...views.states.values()];
  const kinds = [...new Set(states.map(kindOf))];
  const first = worlds.family.free[0] ?? '';
  const own = Object.keys(states[0]?.context ?? {}).filter((field) =>
    states.every(({ context }) => context[field] === first),
  );
  const placed = (at: number, state: LocalState): Place => {
    const id = order[at] ?? '';
    const any = { next: () => ({ done: false as const, value: random.pick(order) }) };
    const named = (field: string, value: Json): Json => {
      if (worlds.links.includes(field)) return nextOf(order, at);
      if (value === outside) return random.pick(order);
      if (value !== first) return value;
      return own.includes(field) || random.chance(1 / 2) ? id : random.pick(order);
    };
    const context = Object.fromEntries(
      Object.entries(state.context).map(([field, value]) => [field, named(field, value)]),
    );
    const sent = [...views.sent.values()]
      .filter(() => random.chance(1 / 3))
      .map((message) => filled({ ...message }, any) as unknown as Message); // it stays one
    return { id, state: { ...state, context }, sent };
  };
  for (let sample = 0; sample < samples; sample++) {
    const chosen = few(kinds, random);
    const among = states.filter((state) => chosen.includes(kindOf(state)));
    yield order.map((_, at) => placed(at, random.pick(among)));
  }
  for (const state of states)
    for (const place of order.keys())
      yield order.map((_, at) => placed(at, at === place ? state : random.pick(states)));
}

const kindOf = ({ value }: LocalState): string => JSON.stringify(value);
