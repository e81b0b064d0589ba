import { ConclaveError } from '../../base/error.js';
import { Random } from '../../base/random.js';
import type { NodeId } from '../../protocol/node.js';
import type { Protocol } from '../../protocol/protocol.js';
import { start } from '../../protocol/step.js';
import { violatedBy } from '../../protocol/unhandled-messages.js';
import * as needs from '../../topology/needs.js';
import type { Topology } from '../../topology/topology.js';
import { canonical } from '../worlds/canonical.js';
import type { World } from '../worlds/world.js';
import { Worlds } from '../worlds/worlds.js';
import { type ProofFigures, refining } from './abstraction.js';
import { Family } from './family.js';
import { LocalSteps } from './local-steps.js';
import { type Detail, messageIn, stateIn } from './part.js';
import { chooserOf, stepOf } from './random-runs.js';
import { requireNoHistory, requireNoSpecialCase } from './requirements.js';
import { between } from './ring-proof.js';
import { TreeParts } from './tree-parts.js';
import { requireNeighbour, TreeSteps } from './tree-steps.js';
import { TreeViews } from './tree-views.js';
import {
  formsOfTrees,
  mostNeighbours,
  type Placed,
  randomTree,
  Tree,
  type TreeWorld,
  treesOf,
} from './tree-world.js';
import { Unprovable } from './unprovable.js';

/** Views of trees whose nodes have a few neighbours, closed under all steps. */
export interface TreeAbstraction {
  readonly family: Family;
  /** How many neighbours a node has at most. */
  readonly neighbours: number;
  readonly steps: TreeSteps;
  readonly views: TreeViews;
  readonly starts: readonly Run[];
  readonly runs: readonly Run[];
  readonly forgotten: ReadonlySet<string>;
  readonly guessed: ReadonlySet<string>;
  readonly figures: ProofFigures;
}

/** The worlds of a run of one tree. */
export interface Run {
  readonly tree: Tree;
  readonly worlds: readonly TreeWorld[];
}

/** Trees of each form of up to so many nodes start as views say; larger ones are compared. */
export const treeSizes = {
  all: 8,
  runs: [8, 14, 24],
  steps: 600,
  looked: [3, 5, 8, 13, 24],
} as const;

/** How many neighbours the nodes of these networks have, if they are trees for views. */
export function neighboursIn(
  protocol: Protocol,
  networkOf: (n: number) => Topology,
): number | undefined {
  const networks = treeSizes.looked.map(networkOf);
  const most = Math.max(
    ...networks.flatMap((topology) => topology.nodes.map((id) => topology.successors(id).length)),
  );
  const areTrees = networks.every(
    (topology) =>
      (needs.tree.refuses(topology) ?? protocol.topology.refuses(topology)) === undefined,
  );
  return areTrees && most <= mostNeighbours ? most : undefined;
}

/** @throws {Unprovable} if the views do not show what a tree of any size may do. */
export const treeAbstractionOf = (
  protocol: Protocol,
  networkOf: (n: number) => Topology,
  neighbours: number,
  stop: () => boolean,
): TreeAbstraction =>
  refining(protocol, stop, (detail) =>
    new TreeProof(protocol, networkOf, neighbours, detail).run(),
  );

const commands = 1000;
const mostTried = 1000;

/** The views of trees whose nodes have so many neighbours at most, and what they are compared with. */
export class TreeProof {
  readonly views: TreeViews;
  readonly #family: Family;
  readonly #names: readonly NodeId[];
  readonly #steps: TreeSteps;
  readonly #random = new Random(1);

  constructor(
    protocol: Protocol,
    networkOf: (n: number) => Topology,
    private readonly neighbours: number,
    private readonly detail: Detail,
  ) {
    requireNoHistory(protocol);
    const family = new Family(protocol, networkOf);
    this.#family = family;
    const [role = '', ...others] = Object.keys(protocol.roles);
    if (others.length > 0) throw new Unprovable('its nodes have several roles');
    this.#names = family.names(family.free.length);
    const local = new LocalSteps(family, detail);
    this.#steps = new TreeSteps(new TreeParts(this.#names), local, role, this.#names);
    this.views = new TreeViews(this.#steps);
  }

  run(): TreeAbstraction {
    const { detail, neighbours } = this;
    const family = this.#family;
    const { local } = this.#steps;
    const starts = this.close();
    const larger = between(treeSizes.all + 1, this.#names.length).flatMap((n) =>
      Array.from({ length: 2 * formsOfTrees }, (_, index) =>
        this.#start(new Tree(this.#tree(n, index % formsOfTrees))),
      ),
    );
    for (const { tree, worlds } of larger)
      for (const world of worlds) this.#requireKnown(tree, world, 'starts as no smaller one does');
    requireNoSpecialCase(family, this.#names.length);
    const runs = treeSizes.runs.map((n, index) => this.#run(new Tree(this.#tree(n)), index));
    return {
      ...{ family, neighbours, steps: this.#steps, views: this.views },
      ...{ starts: [...starts, ...larger], runs },
      forgotten: local.numbers.forgotten,
      guessed: detail.guessed,
      figures: {
        ...{ views: this.views.all.length, worlds: this.#steps.parts.size },
        steps: this.views.steps,
        compared: { nodes: 1 + neighbours, steps: local.all.length },
        alike: { nodes: this.#names.length, steps: 0 },
        random: {
          nodes: this.#names.length,
          steps: runs.reduce((sum, { worlds }) => sum + worlds.length - 1, 0),
        },
        local: local.all.length,
      },
    };
  }

  /** Adds all views that trees lead to; returns how small trees start. */
  close(): readonly Run[] {
    const starts = between(1, treeSizes.all)
      .flatMap((n) => treesOf(this.#names.slice(0, n), this.neighbours, this.#family.protocol))
      .map((topology) => this.#start(new Tree(topology)));
    for (const { tree, worlds } of starts)
      for (const world of worlds) {
        for (const view of tree.views(world)) this.views.learn(...view);
        if (world.size === 1) for (const { part } of world.values()) this.views.alone.add(part);
      }
    this.views.close();
    return starts;
  }

  /** A random tree that the protocol runs on. */
  #tree(n: number, form = 0): Topology {
    for (let tried = 0; tried < mostTried; tried++) {
      const names = this.#random.shuffled(this.#names).slice(0, n);
      const tree = randomTree(names, this.neighbours, this.#random, form);
      if (this.#family.protocol.topology.refuses(tree) === undefined) return tree;
    }
    throw new Unprovable(`it runs on few trees of ${n} nodes`);
  }

  #start(tree: Tree): Run {
    const { topology } = tree;
    const { role, local, parts } = this.#steps;
    const made = this.#family.protocol.roles[role];
    if (!made) throw new Unprovable(`there is no role '${role}'`);
    const world = new Map(
      topology.nodes.map((id) => {
        const taken = local.settled(role, start(made.machine, id, made.input(id, topology)));
        if (taken.failure) throw taken.failure;
        for (const { to } of taken.sends) requireNeighbour(to, topology.successors(id));
        const sentTo = (to: NodeId) =>
          taken.sends.filter((sent) => sent.to === to).map(({ message }) => message);
        const out = Object.fromEntries(topology.successors(id).map((to) => [to, sentTo(to)]));
        return [id, tree.placed(id, parts, taken.state, out)] as const;
      }),
    );
    return { tree, worlds: [world] };
  }

  #requireKnown(tree: Tree, world: TreeWorld, what: string): void {
    for (const view of tree.views(world))
      if (!this.views.has(...view)) throw new Unprovable(`${tree.topology.spec} ${what}`);
  }

  /** A world of exploration, without the numbers that views forget. */
  world(tree: Tree, { nodes, channels }: World): TreeWorld {
    const { role, parts, local } = this.#steps;
    return new Map(
      tree.topology.nodes.map((id) => {
        const state = nodes[id];
        if (!state) throw new Unprovable(`there is no node '${id}'`);
        const sent = (to: NodeId) =>
          (channels[`${id}→${to}`] ?? []).map((message) =>
            messageIn(message, local.everybody, this.detail),
          );
        const out = Object.fromEntries(tree.topology.successors(id).map((to) => [to, sent(to)]));
        const seen = stateIn(role, state, local.everybody, this.detail);
        return [id, tree.placed(id, parts, seen, out)] as const;
      }),
    );
  }

  /**
   * Takes random steps of a whole tree, by the definition of exploration, until one fails. Each world
   * must show known views only, and each step be one of those of its nodes in views.
   */
  #run(tree: Tree, seed: number): Run {
    const worlds = new Worlds(this.#family.protocol, tree.topology, { commands });
    const random = new Random(seed + 1);
    const choose = chooserOf(random);
    const seen: TreeWorld[] = [];
    let world = worlds.initial;
    for (let taken = 0; ; taken++) {
      const now = this.world(tree, world);
      this.#requireKnown(tree, now, `shows something after ${taken} steps that no view has`);
      seen.push(now);
      const actions = worlds.actions(world);
      if (actions.length === 0 || taken === treeSizes.steps) return { tree, worlds: seen };
      const chosen = choose(actions, taken);
      const [id, event] = stepOf(this.#steps.local, chosen);
      const { part, neighbours } = now.get(id) as Placed; // it has all nodes
      const outcomes =
        event.kind === 'message'
          ? [this.#steps.receive(part, neighbours.indexOf(event.from), event.message)]
          : this.#steps.own(part).filter((own) => canonical(own.event) === canonical(event));
      try {
        world = worlds.next(world, chosen);
      } catch (error) {
        if (!(error instanceof ConclaveError)) throw error;
        const failures = outcomes.flatMap((each) => each.failures);
        if (failures.some((each) => violatedBy(each) === violatedBy(error)))
          return { tree, worlds: seen };
        throw new Unprovable(`a step of ${tree.topology.spec} fails as in no view`);
      }
      const after = this.world(tree, world).get(id) as Placed;
      if (!outcomes.some(({ moves }) => moves.some((move) => move.part === after.part)))
        throw new Unprovable(
          `node ${id} of ${tree.topology.spec} takes a step that no view shows: ${canonical(event)}`,
        );
    }
  }
}
