import { badInput, ConclaveError } from '../../base/error.js';
import type { NodeId } from '../../protocol/node.js';
import type { Protocol } from '../../protocol/protocol.js';
import type { Topology } from '../../topology/topology.js';
import type { Renaming } from './data.js';
import { Unprovable } from './unprovable.js';

const largest = 24;

/**
 * The networks of a protocol, one for each number of nodes. Nodes whose role no other node plays,
 * such as the centre of a star, are fixed: they are in each view. The others are free; a network of
 * one more node has one more of them, the last.
 */
export class Family {
  /** No network that is looked at is larger. */
  readonly largest: Topology;
  readonly fixed: readonly NodeId[];
  readonly free: readonly NodeId[];
  readonly #topologies = new Map<number, Topology>();
  readonly #renamings = new Map<number, Renaming>();

  constructor(
    readonly protocol: Protocol,
    private readonly networkOf: (n: number) => Topology,
  ) {
    this.largest = networkOf(largest);
    const roles = this.largest.nodes.map((id) => protocol.roleOf(id, this.largest));
    const isOnly = (index: number) =>
      roles.indexOf(roles[index] ?? '') === roles.lastIndexOf(roles[index] ?? '');
    this.fixed = this.largest.nodes.filter((_, index) => isOnly(index));
    this.free = this.largest.nodes.filter((_, index) => !isOnly(index));
  }

  /** The names of a network with so many free nodes, the fixed ones first. */
  names(free: number): readonly NodeId[] {
    return [...this.fixed, ...this.free.slice(0, free)];
  }

  /** @throws {Unprovable} where the networks do not grow by one free node at the end. */
  topology(free: number): Topology {
    const known = this.#topologies.get(free);
    if (known) return known;
    const n = free + this.fixed.length;
    const topology = this.networkOf(n);
    const names = new Set(this.names(free));
    if (topology.nodes.length !== n || topology.nodes.some((id) => !names.has(id)))
      throw new Unprovable(
        `the networks do not grow node by node: '${topology.spec}' has not the first nodes of a larger one`,
      );
    const refusal = this.protocol.topology.refuses(topology);
    if (refusal !== undefined)
      throw badInput(`${this.protocol.title} does not run on '${topology.spec}': it ${refusal}`);
    this.#topologies.set(free, topology);
    return topology;
  }

  /** Whether there is a network with so many free nodes. */
  has(free: number): boolean {
    try {
      return this.topology(free).nodes.length === free + this.fixed.length;
    } catch (error) {
      if (error instanceof Unprovable || error instanceof ConclaveError) return false;
      throw error;
    }
  }

  roleOf(id: NodeId, free: number): string {
    return this.protocol.roleOf(id, this.topology(free));
  }

  /**
   * Of a network with `free` free nodes, those in `mask` and the fixed ones; they get the first
   * names, in their order.
   */
  renaming(free: number, mask: number): Renaming {
    const key = free * 2 ** 25 + mask;
    const known = this.#renamings.get(key);
    if (known) return known;
    const kept = this.free.slice(0, free).filter((_, index) => (mask >> index) & 1);
    const renaming: Renaming = {
      all: new Set(this.names(free)),
      names: new Map([
        ...this.fixed.map((id) => [id, id] as const),
        ...kept.map((id, index) => [id, this.free[index] ?? id] as const),
      ]),
    };
    this.#renamings.set(key, renaming);
    return renaming;
  }

  /** The names of a world of `free` free nodes in one that has one more, the `skipped`-th. */
  widening(free: number, skipped: number): Renaming {
    return {
      all: new Set(this.names(free)),
      names: new Map([
        ...this.fixed.map((id) => [id, id] as const),
        ...this.free
          .slice(0, free)
          .map((id, index) => [id, this.free[index < skipped ? index : index + 1] ?? id] as const),
      ]),
    };
  }

  /** The bit of a free node; 0 for a fixed one. */
  bit(id: NodeId): number {
    const index = this.free.indexOf(id);
    return index < 0 ? 0 : 1 << index;
  }
}

/** The sets of `size` of the first `free` free nodes, as masks. */
export function subsets(free: number, size: number): readonly number[] {
  const found: number[] = [];
  const visit = (from: number, left: number, mask: number): void => {
    if (left === 0) found.push(mask);
    else
      for (let index = from; index <= free - left; index++)
        visit(index + 1, left - 1, mask | (1 << index));
  };
  visit(0, size, 0);
  return found;
}
