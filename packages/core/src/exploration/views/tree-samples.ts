import { Random } from '../../base/random.js';
import type { NodeId } from '../../protocol/node.js';
import type { Run, TreeAbstraction } from './tree-proof.js';
import type { Tree, TreeWorld } from './tree-world.js';

type Sample = readonly [Tree, TreeWorld];
/** Parts, by the number of their neighbours. */
type ByDegree = ReadonlyMap<number, readonly number[]>;

const samples = 150;
/** How many nodes of a world of a run are changed, each as often as this until it fits. */
const changes = { nodes: 6, tries: 20 } as const;

/**
 * Trees on which a property is tried: those of random runs, mixtures of them, such as views allow,
 * and others, also unreachable ones, whose nodes are in any state of a view, each at least once.
 */
export function* treesToTry(found: TreeAbstraction): Iterable<Sample> {
  const random = new Random(1);
  const { runs, starts, steps } = found;
  const parts = new Map<number, number[]>();
  for (let part = 0; part < steps.parts.size; part++) {
    const degree = steps.parts.at(part).out.length;
    parts.set(degree, [...(parts.get(degree) ?? []), part]);
  }
  for (const run of runs) yield* ofRun(run, random);
  for (const { tree, worlds } of [...starts, ...runs])
    for (let sample = 0; sample < (worlds.length > 1 ? samples : 1); sample++)
      yield [tree, allowed(found, [tree, random.pick(worlds)], parts, random)];
  yield* ofAny(found, parts, random);
}

function* ofRun({ tree, worlds }: Run, random: Random): Iterable<Sample> {
  for (const world of worlds) yield [tree, world];
  for (let sample = 0; sample < samples; sample++) {
    const chosen = Array.from({ length: 1 + random.below(3) }, () => random.pick(worlds));
    yield [tree, filled(tree, (id) => random.pick(chosen).get(id)?.part ?? 0, random)];
  }
}

/** A world in which some nodes are as views allow beside all others: it may be of no run. */
function allowed(
  { views }: TreeAbstraction,
  [tree, world]: Sample,
  parts: ByDegree,
  random: Random,
): TreeWorld {
  let changed = world;
  for (let node = 0; node < changes.nodes; node++) {
    const id = random.pick(tree.topology.nodes);
    const next = tree.topology.successors(id);
    for (let tried = 0; tried < changes.tries; tried++) {
      const part = random.pick(parts.get(next.length) ?? []);
      const other = new Map(changed).set(id, { part, neighbours: random.shuffled(next) });
      if (!tree.viewsOf(other, id).every((view) => views.has(...view))) continue;
      changed = other;
      break;
    }
  }
  return changed;
}

function* ofAny(
  { runs, starts }: TreeAbstraction,
  parts: ByDegree,
  random: Random,
): Iterable<Sample> {
  const large = runs.map(({ tree }) => tree);
  const small = starts.map(({ tree }) => tree);
  const anyPart =
    ({ topology }: Tree) =>
    (id: NodeId) =>
      random.pick(parts.get(topology.successors(id).length) ?? []);
  for (let sample = 0; sample < samples; sample++) {
    const tree = random.pick(random.chance(0.5) ? large : small);
    yield [tree, filled(tree, anyPart(tree), random)];
  }
  for (const [degree, all] of parts)
    for (const part of all)
      for (const tree of [random.pick(small), random.pick(large)]) {
        const { nodes } = tree.topology;
        const at = nodes.filter((id) => tree.topology.successors(id).length === degree);
        const chosen = at.length > 0 ? random.pick(at) : undefined;
        const others = anyPart(tree);
        yield [tree, filled(tree, (id) => (id === chosen ? part : others(id)), random)];
      }
}

/** A world whose nodes have these parts, turned in any way. */
const filled = ({ topology }: Tree, partAt: (id: NodeId) => number, random: Random): TreeWorld =>
  new Map(
    topology.nodes.map((id) => [
      id,
      { part: partAt(id), neighbours: random.shuffled(topology.successors(id)) },
    ]),
  );
