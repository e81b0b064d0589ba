import { Random } from '../../base/random.js';
import type { NodeId } from '../../protocol/node.js';
import type { LocalState } from '../../protocol/step.js';
import type { Abstraction } from './abstraction.js';
import { type Crowd, calledAs, crowdsOf } from './crowds.js';
import { subsets } from './family.js';
import type { NodeCheck } from './node-check.js';
import type { PartialWorld } from './partial-worlds.js';
import { memoized } from './parts.js';
import {
  neverFails,
  PropertyJudge,
  type SeenNode,
  type StateProperty,
  tooWide,
} from './property-judge.js';
import type { Stepping } from './stepping.js';

/** A part of a view, and the node that has it. */
interface Placed {
  readonly number: number;
  readonly id: NodeId;
}

/** Judges a property on worlds and views, in which forgotten numbers cannot be read. */
export class PropertyCheck extends PropertyJudge {
  readonly #known = new Map<string, SeenNode>();

  constructor(
    private readonly stepping: Stepping,
    property: StateProperty,
  ) {
    const { forgotten } = stepping.local.numbers;
    super(stepping.family.protocol, property, { forgotten, piling: stepping.detail.piling });
  }

  /**
   * @param others nodes that are no part of the world
   * @throws {Unprovable} where the property reads what views do not have.
   */
  isFulfilled(world: PartialWorld, others: readonly SeenNode[] = []): boolean {
    return this.holdsFor([...this.#nodes(world), ...others]);
  }

  /** Those of a view: its fixed nodes beside them. */
  *crowds(view: PartialWorld): Iterable<Crowd<Placed> & { readonly fixed: readonly SeenNode[] }> {
    const { family, worlds } = this.stepping;
    const free = worlds.freeIn(view);
    const names = family.names(free);
    const fixed = this.#nodes(view).slice(0, family.fixed.length);
    const places = view.map((number, position) => ({ number, id: names[position] ?? '' }));
    for (const crowd of crowdsOf(
      places.slice(fixed.length),
      family.free.slice(free),
      ({ number, id }, other) => this.#node(number, other ?? id, id),
    ))
      yield { ...crowd, fixed };
  }

  #nodes(world: PartialWorld): readonly SeenNode[] {
    const { family, worlds } = this.stepping;
    const names = family.names(worlds.freeIn(world));
    return world.map((number, position) => this.#node(number, names[position] ?? ''));
  }

  /** @param before how the node is called in its part */
  #node(number: number, id: NodeId, before = id): SeenNode {
    return memoized(this.#known, `${number} ${id} ${before}`, () => {
      const part = this.stepping.parts.at(number);
      return this.seenNode(before === id ? part : calledAs(part, before, id), id);
    });
  }
}

const samples = 150;

/**
 * Worlds of all kinds: those that were put together of views, those of runs, and random ones, also
 * unreachable ones, of states that the nodes of a network may have.
 */
export const everyWorld = (
  { stepping, fixpoint, networks, runs }: Abstraction,
  holds: (world: PartialWorld) => boolean,
): boolean =>
  [
    () => fixpoint.worlds,
    () => networks.flatMap(randomWorlds(stepping)),
    () => runs.flatMap(mixed),
  ].every((make) => make().every(holds));

/**
 * Why a property is not decided by views of `k` nodes: it must fail on a view of each world on which
 * it fails.
 */
export function notLocal(check: PropertyCheck, found: Abstraction, k: number): string | undefined {
  const { worlds } = found.stepping;
  let failing = 0;
  const isShown = (world: PartialWorld): boolean => {
    if (check.isFulfilled(world)) return true;
    failing++;
    return subsets(worlds.freeIn(world), k).some(
      (mask) => !check.isFulfilled(worlds.seen(world, mask)),
    );
  };
  const views = [...found.fixpoint.views.values()];
  const isDecided = (view: PartialWorld): boolean =>
    [...check.crowds(view)].every(({ nodes, fixed }) => check.isDecidedBy(k, nodes, fixed));
  if (!everyWorld(found, isShown) || !views.every(isDecided)) return tooWide(k);
  return failing > 0 ? undefined : neverFails;
}

/** The worlds of a run, and such in which each node is as in one of a few of them. */
function mixed(run: readonly PartialWorld[]): readonly PartialWorld[] {
  const random = new Random(1);
  const others = Array.from({ length: samples }, () => {
    const chosen = Array.from({ length: 1 + random.below(3) }, () => random.pick(run));
    return (run[0] ?? []).map((_, position) => random.pick(chosen)[position] ?? 0);
  });
  return [...run, ...others];
}

/** Of a network: worlds with each state of each node at least once, and some more. */
const randomWorlds =
  (stepping: Stepping) =>
  ({ free, nodes }: Abstraction['networks'][number]): readonly PartialWorld[] => {
    const random = new Random(1);
    const kinds = kindsOf(nodes);
    const worlds = Array.from({ length: samples }, () =>
      worldOf(stepping, free, nodes, kinds, random),
    );
    const { parts, family } = stepping;
    const ofStates = family.names(free).flatMap((id, position) =>
      [...(nodes.states.get(id)?.values() ?? [])].map((state) => {
        const world = random.pick(worlds);
        const part = parts.numberOf({ role: family.roleOf(id, free), state, out: {} });
        return world.map((number, index) => (index === position ? part : number));
      }),
    );
    return [...worlds, ...ofStates];
  };

/** The states that each node may have, by what the statechart is in. */
type Kinds = ReadonlyMap<NodeId, ReadonlyMap<string, readonly LocalState[]>>;

function kindsOf(nodes: NodeCheck): Kinds {
  const kinds = new Map<NodeId, Map<string, LocalState[]>>();
  for (const [id, states] of nodes.states) {
    const byKind = new Map<string, LocalState[]>();
    for (const state of states.values()) {
      const kind = JSON.stringify(state.value);
      byKind.set(kind, [...(byKind.get(kind) ?? []), state]);
    }
    kinds.set(id, byKind);
  }
  return kinds;
}

/** Nodes in any of their states, few different ones at a time, with some of their messages. */
function worldOf(
  stepping: Stepping,
  free: number,
  nodes: NodeCheck,
  kinds: Kinds,
  random: Random,
): PartialWorld {
  const names = stepping.family.names(free);
  const chosen = Array.from({ length: 1 + random.below(3) }, () =>
    random.pick([...(kinds.get(random.pick(names))?.keys() ?? [])]),
  );
  return names.map((id: NodeId) => {
    const byKind = kinds.get(id) ?? new Map<string, readonly LocalState[]>();
    const known = chosen.filter((kind) => byKind.has(kind));
    const kind = random.pick(known.length > 0 ? known : [...byKind.keys()]);
    return stepping.parts.numberOf({
      role: stepping.family.roleOf(id, free),
      state: random.pick(byKind.get(kind) ?? []),
      out: nodes.randomMessages(id, random),
    });
  });
}
