import { Random } from '../../base/random.js';
import type { NodeId } from '../../protocol/node.js';
import type { Protocol } from '../../protocol/protocol.js';
import type { Topology } from '../../topology/topology.js';
import { type ProofFigures, refining } from './abstraction.js';
import { orders } from './data.js';
import { Family } from './family.js';
import { LocalSteps } from './local-steps.js';
import type { Detail } from './part.js';
import { requireNoHistory, requireNoSpecialCase } from './requirements.js';
import { RingComparison } from './ring-comparison.js';
import { RingSteps } from './ring-steps.js';
import { RingViews } from './ring-views.js';
import { type RingWorld, RingWorlds, ringKey } from './ring-world.js';
import { Unprovable } from './unprovable.js';

/** Views of rings in any order of the names, closed under all steps, as far as was compared. */
export interface RingAbstraction {
  readonly worlds: RingWorlds;
  readonly views: RingViews;
  /** All worlds of the rings that have fewer nodes than a view. */
  readonly smaller: readonly RingViews[];
  /** The worlds of random runs. */
  readonly runs: readonly (readonly RingWorld[])[];
  /** The numbers that views forget, and those of them on which steps depend nevertheless. */
  readonly forgotten: ReadonlySet<string>;
  readonly guessed: ReadonlySet<string>;
  readonly figures: ProofFigures;
}

/** Up to so many nodes, rings in all orders are looked at, then in some. */
export const ringSizes = { all: 5, some: 9, runs: [8, 14, 24], steps: 600 } as const;
const ordersTried = 3;

/**
 * @param k how many nodes a view has
 * @throws {Unprovable} if the views do not show what a ring of any size may do.
 */
export const ringAbstractionOf = (
  protocol: Protocol,
  networkOf: (n: number) => Topology,
  k: number,
  stop: () => boolean,
): RingAbstraction =>
  refining(protocol, stop, (detail) => attempt(new Family(protocol, networkOf), detail, k));

function attempt(family: Family, detail: Detail, k: number): RingAbstraction {
  requireNoHistory(family.protocol);
  const local = new LocalSteps(family, detail);
  const worlds = new RingWorlds(family, detail, local);
  const taking = new RingSteps(worlds, local);
  const random = new Random(1);
  const all = (n: number) => ordersOf(family.free.slice(0, n));
  const some = (n: number) =>
    Array.from({ length: ordersTried }, () => random.shuffled(family.free.slice(0, n)));
  const closed = (lengths: readonly number[], size: number, isPart: boolean) => {
    const views = new RingViews(worlds, taking, size, isPart);
    views.close(lengths.flatMap(all).map((order) => worlds.initial(order)));
    return views;
  };
  const small = between(k, ringSizes.all);
  const larger = between(ringSizes.all + 1, ringSizes.some);
  const views = closed(small, k, true);
  for (const order of between(k, family.free.length).flatMap(some))
    requireKnownStart(worlds.initial(order), worlds, views);
  const compared = new RingComparison(worlds, taking, k);
  for (const order of small.flatMap(all)) compared.ofRing(order);
  const alike = new RingComparison(worlds, taking, k);
  for (const order of larger.flatMap(some)) alike.ofRing(order);
  requireNoSpecialCase(family, ringSizes.some);
  const inRuns = new RingComparison(worlds, taking, k);
  const runs = ringSizes.runs.map((n, index) =>
    inRuns.ofRun(random.shuffled(family.free.slice(0, n)), views, {
      steps: ringSizes.steps,
      seed: index + 1,
    }),
  );
  return {
    ...{ worlds, views, runs },
    smaller: between(2, k - 1).map((n) => closed([n], n, false)),
    forgotten: local.numbers.forgotten,
    guessed: detail.guessed,
    figures: {
      ...{ views: views.views.size, worlds: views.views.size, steps: views.steps },
      compared: { nodes: ringSizes.all, steps: compared.steps },
      alike: { nodes: ringSizes.some, steps: alike.steps },
      random: { nodes: family.free.length, steps: inRuns.steps },
      local: local.all.length,
    },
  };
}

export const between = (least: number, most: number): readonly number[] =>
  Array.from({ length: Math.max(most - least + 1, 0) }, (_, index) => least + index);

/** The orders of names around a ring, from the first name on. */
export const ordersOf = ([
  first = '',
  ...others
]: readonly NodeId[]): readonly (readonly NodeId[])[] =>
  orders(others).map((rest) => [first, ...rest]);

/** A larger ring must not start in another way than a small one. */
function requireKnownStart(start: RingWorld, worlds: RingWorlds, { views, k }: RingViews): void {
  if (worlds.views(start, k).some((view) => !views.has(ringKey(view))))
    throw new Unprovable(
      `the nodes of a ring of ${start.length} nodes start in another way than those of smaller ones`,
    );
}
