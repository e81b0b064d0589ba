import type { NodeId } from '../../protocol/node.js';
import type { Topology } from '../../topology/topology.js';
import { canonical } from '../worlds/canonical.js';
import { isKept } from './conserved.js';
import { type Crowd, crowdsOf } from './crowds.js';
import {
  aboutNumbers,
  type Evidence,
  type Judgement,
  noFaults,
  notProved,
  provable,
} from './evidence.js';
import { memoized } from './parts.js';
import {
  neverFails,
  PropertyJudge,
  type SeenNode,
  type StateProperty,
  tooWide,
} from './property-judge.js';
import { renamed, renamingOf } from './ring-names.js';
import { type TreeAbstraction, treeSizes } from './tree-proof.js';
import { treesToTry } from './tree-samples.js';
import { namesTried } from './tree-steps.js';
import { partOf, portOf, type TreeView } from './tree-views.js';
import { mostNeighbours, type Tree, type TreeWorld, treesOf } from './tree-world.js';
import { Unprovable } from './unprovable.js';

/** The evidence of trees whose nodes have at most so many neighbours, with any names. */
export const treeEvidenceOf = (found: TreeAbstraction): Evidence => {
  const tried = [...treesToTry(found)];
  return {
    judge: (property, name) => {
      const judgement = provable(() =>
        property ? judged(found, property, tried) : ofSteps(found, name),
      );
      return judgement instanceof Unprovable ? notProved(judgement) : judgement;
    },
    networksOf: (n): readonly Topology[] =>
      treesOf(found.family.names(n), found.neighbours, found.family.protocol),
    assumptions: assumptionsOf(found),
    figures: found.figures,
  };
};

type Tried = readonly (readonly [Tree, TreeWorld])[];

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

function judged(found: TreeAbstraction, property: StateProperty, tried: Tried): Judgement {
  const check = new TreeProperty(found, property);
  const { views, steps } = found;
  const bad = views.all.find((view) => !check.holdsOnView(view));
  const alone = [...views.alone].find((part) => !check.holdsAlone(part));
  if (bad === undefined && alone === undefined) {
    const reason = notLocal(check, tried);
    return reason === undefined ? holds : { verdict: 'not proved', reason };
  }
  if (isConserved(check, found, tried)) return holds;
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

interface Placed {
  readonly id: NodeId;
  readonly part: number;
  readonly neighbours: readonly NodeId[];
}

/** Judges a property on trees, and on views of trees. */
class TreeProperty extends PropertyJudge {
  readonly #nodes = new Map<string, SeenNode>();

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

  /** Two nodes, whichever has the smaller name; with others that are neighbours of neither. */
  holdsOnView({ isNear, ends }: Pick<TreeView, 'isNear' | 'ends'>, others: readonly number[] = []) {
    const names = this.found.family.names(this.found.family.free.length);
    return [names, names.toReversed()].every((called) => {
      const ids = called.slice(0, 2);
      const around = called.slice(2);
      const nodes = ends.map((end, index) => {
        const neighbours = around.splice(0, mostNeighbours);
        return this.#node(
          partOf(end),
          ids[index] ?? '',
          isNear ? neighbours.with(portOf(end), ids[1 - index] ?? '') : neighbours,
        );
      });
      const more = others.map((part) =>
        this.#node(part, around.splice(0, 1)[0] ?? '', around.splice(0, mostNeighbours)),
      );
      return this.holdsFor([...nodes, ...more]);
    });
  }

  /** Those of all views: where two nodes stand in a tree does not matter to them. */
  *crowds(): Iterable<Crowd<Placed>> {
    const { views, family } = this.found;
    const [one = '', other = '', ...free] = family.free;
    const around = [one, other].map(() => free.splice(0, mostNeighbours));
    const pairs = views.all.map(({ ends }) => ends.map(partOf));
    for (const [first = 0, second = 0] of new Map(pairs.map((pair) => [`${pair}`, pair])).values())
      yield* crowdsOf(
        [
          { id: one, part: first, neighbours: around[0] ?? [] },
          { id: other, part: second, neighbours: around[1] ?? [] },
        ],
        free,
        ({ id, part, neighbours }, called = id) => this.#node(part, called, neighbours),
      );
  }

  holdsAlone(part: number): boolean {
    return this.holdsFor([this.#node(part, this.found.family.free[0] ?? '', [])]);
  }

  #node(part: number, id: NodeId, neighbours: readonly NodeId[]): SeenNode {
    return memoized(this.#nodes, `${part} ${id} ${neighbours}`, () =>
      this.#made(part, id, neighbours),
    );
  }

  #made(part: number, id: NodeId, neighbours: readonly NodeId[]): SeenNode {
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

/** Why it is not decided by views: it must fail on a view of each world on which it fails. */
function notLocal(check: TreeProperty, tried: Tried): string | undefined {
  let failing = 0;
  for (const [tree, world] of tried) {
    if (check.holdsOn(world)) continue;
    failing++;
    const isShown = [...tree.views(world)].some(
      ([isNear, one, other]) => !check.holdsOnView({ isNear, ends: [one, other] }),
    );
    if (!isShown) return tooWide(2);
  }
  for (const { nodes } of check.crowds()) if (!check.isDecidedBy(2, nodes)) return tooWide(2);
  return failing > 0 ? undefined : neverFails;
}

/** See `isConserved` of other views. */
function isConserved(check: TreeProperty, found: TreeAbstraction, tried: Tried): boolean {
  const { steps, starts } = found;
  const countOf = (...parts: readonly number[]) =>
    parts.reduce((sum, part) => {
      const { state, out } = steps.parts.at(part);
      return sum + check.among(steps.role, state, out.flat());
    }, 0);
  const counted = (world: TreeWorld) => countOf(...[...world.values()].map(({ part }) => part));
  return (
    starts.every(({ worlds }) => worlds.every((world) => counted(world) === 1)) &&
    isKept(check, steps.local) &&
    isFulfilledByOne(check, found, countOf) &&
    [...check.crowds()].every(
      ({ nodes, places }) =>
        check.holdsForCrowd(nodes) !== (countOf(...places.map(({ part }) => part)) !== 1),
    ) &&
    tried.every(([, world]) => check.holdsOn(world) === (counted(world) === 1))
  );
}

function isFulfilledByOne(
  check: TreeProperty,
  { steps, views }: TreeAbstraction,
  countOf: (...parts: readonly number[]) => number,
): boolean {
  const counting = [...Array(steps.parts.size).keys()].filter((part) => countOf(part) === 1);
  return views.all.every((view) => {
    const count = countOf(...view.ends.map(partOf));
    if (count > 0) return count > 1 || check.holdsOnView(view);
    return counting.every((part) => check.holdsOnView(view, [part]));
  });
}

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
    `compared were all steps of nodes with up to ${neighbours} neighbours, with all pairs of ${namesTried} names and in all orders of a few, and those of random runs of up to ${nodes} nodes; trees of each form of up to ${treeSizes.all} nodes start as the views do, and some of each size up to ${nodes}; in the source of guards and actions no name of a node was found; functions that they call were not read`,
    `the properties speak of 2 nodes at a time, or count what no step makes or loses: compared on trees of up to ${nodes} nodes, with each state of each node, and on views with many more nodes like theirs`,
    ...aboutNumbers([...forgotten].sort(), [...guessed].sort()),
    ...(views.failures.size > 0
      ? ['a run ends with a step that fails: that none does is not proved']
      : []),
    `the network may be any tree whose nodes have at most ${neighbours} neighbours, with any names that neither machines nor properties know`,
    noFaults,
  ];
}
