import { Random } from '../../base/random.js';
import type { NodeId } from '../../protocol/node.js';
import type { Topology } from '../../topology/topology.js';
import { canonical } from '../worlds/canonical.js';
import { isKept } from './conserved.js';
import {
  aboutNumbers,
  type Evidence,
  type Judgement,
  noFaults,
  notProved,
  provable,
} from './evidence.js';
import {
  neverFails,
  PropertyJudge,
  type SeenNode,
  type StateProperty,
  tooWide,
} from './property-judge.js';
import { renamed, renamingOf } from './ring-names.js';
import { type Run, type TreeAbstraction, treeSizes } from './tree-proof.js';
import { partOf, portOf, type TreeView } from './tree-views.js';
import { type Tree, type TreeWorld, treesOf } from './tree-world.js';
import { Unprovable } from './unprovable.js';

/** The evidence of trees whose nodes have at most so many neighbours, with any names. */
export const treeEvidenceOf = (found: TreeAbstraction): Evidence => ({
  judge: (property, name) => {
    const judgement = provable(() => (property ? judged(found, property) : ofSteps(found, name)));
    return judgement instanceof Unprovable ? notProved(judgement) : judgement;
  },
  networksOf: (n): readonly Topology[] =>
    treesOf(found.family.names(n), found.neighbours, found.family.protocol),
  assumptions: assumptionsOf(found),
  figures: found.figures,
});

const holds: Judgement = { verdict: 'holds for every n' };

/** A property that says of all steps that they do not fail. */
function ofSteps({ views, steps }: TreeAbstraction, name: string): Judgement {
  const failure = views.failures.get(name);
  if (!failure) return holds;
  return {
    verdict: 'not proved',
    reason: `a step of a view fails, which may be of no real tree: ${failure.error.message}`,
    because: [`from: ${textOf(steps, failure.parts)}`],
  };
}

function judged(found: TreeAbstraction, property: StateProperty): Judgement {
  const check = new TreeProperty(found, property);
  const { views, steps } = found;
  const bad = views.all.find((view) => !check.holdsOnView(view));
  const alone = [...views.alone].find((part) => !check.holdsAlone(part));
  if (bad === undefined && alone === undefined) {
    const reason = notLocal(check, found);
    return reason === undefined ? holds : { verdict: 'not proved', reason };
  }
  if (isConserved(check, found)) return holds;
  const parts = bad ? bad.ends.map(partOf) : [alone ?? 0];
  return {
    verdict: 'not proved',
    reason: 'a view violates it, which may be of no real tree',
    because: [
      `view: ${textOf(steps, parts)}`,
      ...(bad?.origin
        ? [`from: ${textOf(steps, bad.origin.parts)}`, `step: ${plain(bad.origin.step)}`]
        : ['at the start']),
    ],
  };
}

/** Judges a property on trees, and on views of trees. */
class TreeProperty extends PropertyJudge {
  constructor(
    private readonly found: TreeAbstraction,
    property: StateProperty,
  ) {
    const { forgotten } = found;
    super(found.family.protocol, property, { forgotten, piling: new Set() });
  }

  holdsOn(world: TreeWorld): boolean {
    return this.holdsFor(
      [...world].map(([id, { part, neighbours }]) => this.#node(part, id, neighbours)),
    );
  }

  /** Two nodes; where they are not neighbours, these are all outside. */
  holdsOnView({ isNear, ends: [one, other] }: TreeView): boolean {
    const [first = '', second = '', ...names] = this.found.family.names(2 + 2 * most);
    const around = (end: number, neighbour: NodeId, from: number) =>
      names.slice(from, from + most).with(portOf(end), neighbour);
    return this.holdsFor([
      this.#node(partOf(one), first, isNear ? around(one, second, 0) : names.slice(0, most)),
      this.#node(partOf(other), second, isNear ? around(other, first, most) : names.slice(most)),
    ]);
  }

  holdsAlone(part: number): boolean {
    return this.holdsFor([this.#node(part, this.found.family.free[0] ?? '', [])]);
  }

  #node(part: number, id: NodeId, neighbours: readonly NodeId[]): SeenNode {
    const { steps, family } = this.found;
    const { state, out } = steps.parts.at(part);
    const names = family.names(1 + out.length);
    const called = [id, ...neighbours];
    const renaming = renamingOf(new Map(names.map((name, index) => [name, called[index] ?? name])));
    const sent = Object.fromEntries(
      out.map((messages, port) => [neighbours[port] ?? '', messages]),
    );
    const [seen] = renamed(state, undefined, renaming);
    return this.seenNode({ role: steps.role, state: seen, out: sent }, id);
  }
}

/** Two nodes of a view have so many neighbours at most. */
const most = 4;

/** Why it is not decided by views: it must fail on a view of each world on which it fails. */
function notLocal(check: TreeProperty, found: TreeAbstraction): string | undefined {
  let failing = 0;
  for (const [tree, world] of worldsToTry(found)) {
    if (check.holdsOn(world)) continue;
    failing++;
    const isShown = [...tree.views(world)].some(
      ([isNear, one, other]) => !check.holdsOnView({ isNear, ends: [one, other] }),
    );
    if (!isShown) return tooWide(2);
  }
  return failing > 0 ? undefined : neverFails;
}

/** See `isConserved` of other views. */
function isConserved(check: TreeProperty, found: TreeAbstraction): boolean {
  const { steps, starts } = found;
  const counted = (world: TreeWorld) =>
    [...world.values()].reduce((sum, { part }) => {
      const { state, out } = steps.parts.at(part);
      return sum + check.among(steps.role, state, out.flat());
    }, 0);
  return (
    starts.every(({ worlds }) => worlds.every((world) => counted(world) === 1)) &&
    isKept(check, steps.local) &&
    [...worldsToTry(found)].every(([, world]) => check.holdsOn(world) === (counted(world) === 1))
  );
}

const samples = 150;

/**
 * Worlds on which a property is tried: those of random runs, mixtures of them, and others, also
 * unreachable ones, whose nodes are in any state of a view, each state at least once.
 */
function* worldsToTry({ runs, steps, starts }: TreeAbstraction): Iterable<[Tree, TreeWorld]> {
  const random = new Random(1);
  for (const { tree, worlds } of runs) {
    for (const world of worlds) yield [tree, world];
    for (let sample = 0; sample < samples; sample++) {
      const chosen = Array.from({ length: 1 + random.below(3) }, () => random.pick(worlds));
      yield [tree, filled(tree, (id) => random.pick(chosen).get(id)?.part ?? 0, random)];
    }
  }
  const byDegree = new Map<number, number[]>();
  for (let part = 0; part < steps.parts.size; part++) {
    const degree = steps.parts.at(part).out.length;
    byDegree.set(degree, [...(byDegree.get(degree) ?? []), part]);
  }
  const anyPart =
    ({ topology }: Tree) =>
    (id: NodeId) =>
      random.pick(byDegree.get(topology.successors(id).length) ?? []);
  const large = runs.map(({ tree }) => tree);
  const small = starts.map(({ tree }) => tree);
  for (let sample = 0; sample < samples; sample++) {
    const tree = random.pick(random.chance(0.5) ? large : small);
    yield [tree, filled(tree, anyPart(tree), random)];
  }
  for (const [degree, parts] of byDegree)
    for (const part of parts)
      for (const tree of [random.pick(small), random.pick(large)]) {
        const at = tree.topology.nodes.filter(
          (id) => tree.topology.successors(id).length === degree,
        );
        if (at.length === 0) continue;
        const chosen = random.pick(at);
        const others = anyPart(tree);
        yield [tree, filled(tree, (id) => (id === chosen ? part : others(id)), random)];
      }
}

/** A world whose nodes have these parts, turned in any way. */
const filled = (
  { topology }: Run['tree'],
  partAt: (id: NodeId) => number,
  random: Random,
): TreeWorld =>
  new Map(
    topology.nodes.map((id) => [
      id,
      { part: partAt(id), neighbours: random.shuffled(topology.successors(id)) },
    ]),
  );

const plain = (text: string): string => text.replaceAll('"', '');

const textOf = ({ parts }: TreeAbstraction['steps'], numbers: readonly number[]): string =>
  numbers
    .map((number) => {
      const { state, out } = parts.at(number);
      return plain(`${canonical(state.value)} ${canonical(state.context)} → ${canonical(out)}`);
    })
    .join('; ');

function assumptionsOf(found: TreeAbstraction): readonly string[] {
  const { figures, forgotten, guessed, views, neighbours } = found;
  const { nodes } = figures.random;
  return [
    `a node of a network of more than ${nodes} nodes does nothing new`,
    `compared were all steps of nodes with up to ${neighbours} neighbours, with all pairs of 23 names, and those of random runs of up to ${nodes} nodes; trees of each form of up to ${treeSizes.all} nodes start as the views do, and random ones of up to ${nodes}; in the source of guards and actions no name of a node was found; functions that they call were not read`,
    `the properties speak of 2 nodes at a time, or count what no step makes or loses: compared on trees of up to ${nodes} nodes, with each state of each node`,
    ...aboutNumbers([...forgotten].sort(), [...guessed].sort()),
    ...(views.failures.size > 0
      ? ['a run ends with a step that fails: that none does is not proved']
      : []),
    `the network may be any tree whose nodes have at most ${neighbours} neighbours, with any names`,
    noFaults,
  ];
}
