import type { Protocol } from '../../protocol/protocol.js';
import type { Topology } from '../../topology/topology.js';
import { canonical } from '../worlds/canonical.js';
import { Family } from './family.js';
import { type Fixpoint, fixpointOf } from './fixpoint.js';
import type { LocalEvent } from './local-event.js';
import { LocalSteps } from './local-steps.js';
import { type Allowed, allowedBy, NodeCheck } from './node-check.js';
import { fixpointOfPairs } from './pairs.js';
import type { Detail } from './part.js';
import { keyOf, type PartialWorld, type WorldSet } from './partial-worlds.js';
import { Parts } from './parts.js';
import { randomRun } from './random-runs.js';
import { requireNoHistory, requireNoSpecialCase } from './requirements.js';
import type { Comparison } from './sight.js';
import { Stepping } from './stepping.js';
import { DependsOnMore, NeedsRefinement, type Refinement, Unprovable } from './unprovable.js';

/** What was looked at, in numbers. */
export interface ProofFigures {
  /** The distinct views. */
  readonly views: number;
  /**
   * The worlds of a few nodes that were put together of views, and their steps; where numbers are
   * compared by order, the states of one node in such worlds; of trees, those of nodes with what they
   * have sent.
   */
  readonly worlds: number;
  readonly steps: number;
  /**
   * All steps of the nodes of networks of up to `nodes` nodes that the views allow were compared
   * with steps in worlds of a few nodes.
   */
  readonly compared: { readonly nodes: number; readonly steps: number };
  /** The same for larger networks, one of those that differ in names only. */
  readonly alike: { readonly nodes: number; readonly steps: number };
  /** Steps of random runs: compared, too, and all their worlds show known views only. */
  readonly random: { readonly nodes: number; readonly steps: number };
  /** Distinct steps of single nodes, all by XState. */
  readonly local: number;
}

/** Views that are closed under the steps of networks of any size, as far as was compared. */
export interface Abstraction {
  readonly family: Family;
  readonly stepping: Stepping;
  readonly fixpoint: Fixpoint;
  /** The worlds of the networks that have fewer free nodes than a view. */
  readonly smaller: readonly PartialWorld[];
  readonly networks: readonly { readonly free: number; readonly nodes: NodeCheck }[];
  /** The worlds of each random run. */
  readonly runs: readonly (readonly PartialWorld[])[];
  readonly figures: ProofFigures;
  /**
   * The numbers that views forget, those of them on which steps depend nevertheless, and those of
   * which views have the order.
   */
  readonly forgotten: readonly string[];
  readonly guessed: readonly string[];
  readonly ordered: readonly string[];
}

/** The free nodes of worlds beyond those of a view: the actor or sender, and one more if need be. */
const beyondView = 2;
/** After a network with so few steps of nodes, all those of the next one are compared, too. */
const few = 500;
/** With so many unusual values of numbers, steps are tried. */
const mostConstants = 40;
/** How many free nodes the networks have whose nodes are compared. */
const sizes = { all: 5, allOrdered: 4, alike: 9, randomSteps: 150 } as const;

/**
 * @param k how many free nodes a view has
 * @throws {Unprovable} if the views do not show what a network of any size may do.
 */
export const abstractionOf = (
  protocol: Protocol,
  networkOf: (n: number) => Topology,
  k: number,
  stop: () => boolean,
): Abstraction =>
  refining(
    protocol,
    stop,
    (detail, beyond) => attempt(new Family(protocol, networkOf), k, k + beyond, detail),
    k === 2 && new Family(protocol, networkOf).fixed.length === 0,
  );

/**
 * Tries with what views must have or leave out, and with larger worlds, until that is enough.
 *
 * @param orders whether the views can compare numbers by order
 */
export function refining<T>(
  protocol: Protocol,
  stop: () => boolean,
  attempt: (detail: Detail, beyond: number) => T,
  orders = false,
): T {
  const refined = {
    kept: new Set<string>(),
    guessed: new Set<string>(),
    ordered: new Set<string>(),
    constants: new Set<number>(),
    piling: new Set<string>(),
  };
  const detail = { order: protocol.channels.order, ...refined, stop };
  for (let beyond = 1; ; )
    try {
      return attempt(detail, beyond);
    } catch (error) {
      if (error instanceof NeedsRefinement) refine(refined, error.refinement);
      else if (error instanceof DependsOnMore && beyond < beyondView && refined.ordered.size === 0)
        beyond++;
      else if (orders && error instanceof Unprovable && mayOrder(refined) && !stop())
        order(refined);
      else throw error;
    }
}

type Refined = Record<'kept' | 'guessed' | 'ordered' | 'piling', Set<string>> &
  Record<'constants', Set<number>>;

const mayOrder = ({ kept, guessed, ordered }: Refined): boolean =>
  ordered.size === 0 && kept.size + guessed.size > 0;

/** Numbers whose values, or guesses, prove nothing are compared by order. */
function order(refined: Refined): void {
  for (const path of [...refined.kept, ...refined.guessed]) refined.ordered.add(path);
  refined.kept.clear();
  refined.guessed.clear();
  refined.piling.clear();
}

/** Numbers that are guessed, or ordered, stay so; where some are ordered, none is guessed. */
function refine(
  refined: Refined,
  { kept = [], guessed = [], ordered = [], constants = [], piling = [] }: Refinement,
): void {
  const areOrdered = refined.ordered.size > 0;
  if (areOrdered && piling.length > 0)
    throw new Unprovable('messages pile up, and their numbers are compared by order');
  for (const path of kept) refined.kept.add(path);
  for (const path of [...guessed, ...ordered]) {
    refined.kept.delete(path);
    refined[areOrdered ? 'ordered' : 'guessed'].add(path);
  }
  for (const type of piling) refined.piling.add(type);
  for (const value of constants) refined.constants.add(value);
  if (refined.constants.size > mostConstants)
    throw new Unprovable('its numbers grow in other ways than by one or two');
}

function attempt(family: Family, k: number, most: number, detail: Detail): Abstraction {
  requireNoHistory(family.protocol);
  const local = new LocalSteps(family, detail);
  const stepping = new Stepping(family, detail, new Parts(family, detail), local);
  const starts = Array.from({ length: beyondView + 2 }, (_, index) => k + index);
  const areOrdered = detail.ordered.size > 0;
  const fixpoint = areOrdered
    ? fixpointOfPairs(stepping, starts)
    : fixpointOf(stepping, k, most, starts);
  for (let free = k; free <= family.free.length; free++)
    requireKnownStart(stepping, fixpoint, free, k);
  const smaller = smallest(family, k).flatMap((free) => [...reachable(stepping, free).values()]);
  if (stepping.piledMessages > fixpoint.piled)
    throw new Unprovable('a small network sends messages that no larger one sends');
  const comparison = {
    family,
    detail,
    stepping,
    allowed: allowedBy(fixpoint, stepping, k),
    k,
    most,
  };
  const { networks, compared, alike } = comparedNodes(comparison);
  requireNoSpecialCase(family, Math.max(compared.nodes, alike.nodes));
  const runs = [8, 14, family.free.length].map((free, index) =>
    randomRun(comparison, fixpoint, { free, steps: sizes.randomSteps, seed: index + 1 }),
  );
  const random = {
    nodes: family.largest.nodes.length,
    steps: runs.reduce((sum, worlds) => sum + worlds.length - 1, 0),
  };
  return {
    ...{ family, stepping, fixpoint, smaller, networks, runs },
    figures: {
      views: fixpoint.views.size,
      worlds: fixpoint.joined ?? fixpoint.worlds.length,
      steps: fixpoint.steps,
      ...{ compared, alike, random },
      local: local.all.length,
    },
    forgotten: [...local.numbers.forgotten].sort(),
    guessed: [...detail.guessed].sort(),
    ordered: [...detail.ordered].sort(),
  };
}

/**
 * Compares the steps of nodes in larger and larger networks.
 * @throws {Unprovable} where one differs, or all of them are too many.
 */
function comparedNodes(
  comparison: Comparison & { readonly allowed: Allowed },
): Pick<Abstraction, 'networks'> & Pick<ProofFigures, 'compared' | 'alike'> {
  const { family, detail, k, most } = comparison;
  const networks: { readonly free: number; readonly nodes: NodeCheck }[] = [];
  const compared = { nodes: 0, steps: 0 };
  const alike = { nodes: 0, steps: 0 };
  let last = 0;
  for (let free = k; free <= sizes.alike; free++) {
    const isAll =
      free <= (detail.ordered.size > 0 ? sizes.allOrdered : Math.max(sizes.all, most)) ||
      (alike.nodes === 0 && last <= few);
    const nodes = new NodeCheck(comparison, free, !isAll);
    if (!nodes.run()) {
      if (isAll)
        throw new Unprovable(
          `the nodes of ${family.topology(free).spec} may take too many steps to compare them all`,
        );
      break;
    }
    networks.push({ free, nodes });
    const figures = isAll ? compared : alike;
    figures.nodes = free + family.fixed.length;
    figures.steps += nodes.steps;
    last = nodes.steps;
    if (!nodes.mayGrow) break;
  }
  return { networks, compared, alike };
}

/** A larger network must not start in another way than a small one. */
function requireKnownStart(stepping: Stepping, { views }: Fixpoint, free: number, k: number): void {
  if (stepping.worlds.views(stepping.initial(free), k).some((view) => !views.has(keyOf(view))))
    throw new Unprovable(
      `the nodes of ${stepping.family.topology(free).spec} start in another way than those of smaller networks`,
    );
}

/** The numbers of free nodes below `k` that a network may have. */
const smallest = (family: Family, k: number): readonly number[] =>
  Array.from({ length: k }, (_, free) => free).filter(
    (free) => free + family.fixed.length > 0 && family.has(free),
  );

const mostSmaller = 50_000;

/** All worlds of a network with `free` free nodes, as far as views tell them apart. */
function reachable(stepping: Stepping, free: number): WorldSet {
  const initial = stepping.initial(free);
  const known: WorldSet = new Map([[keyOf(initial), initial]]);
  for (const world of known.values())
    for (const [position, event] of stepping.events(world)) {
      for (const next of successors(stepping, world, position, event)) known.set(keyOf(next), next);
      if (known.size > mostSmaller)
        throw new Unprovable(`${stepping.family.topology(free).spec} has too many worlds`);
    }
  return known;
}

/** Where numbers are compared by order, of a network of one node: views of two show all others. */
function* successors(
  stepping: Stepping,
  world: PartialWorld,
  position: number,
  event: LocalEvent,
): Generator<PartialWorld> {
  const { parts, local, worlds } = stepping;
  const { role, state, out } = parts.at(world[position] ?? 0);
  for (const [before, heardOf = event] of local.spaced(role, [state, event])) {
    const from = world.with(position, parts.numberOf({ role, state: before, out }));
    for (const taken of stepping.take(from, position, heardOf)) {
      if (taken.failure)
        throw new Unprovable(`a step may fail: ${taken.failure.message} (${canonical(event)})`);
      yield worlds.ranked(stepping.after(from, position, heardOf, taken));
    }
  }
}
