import { nodesAccepting } from '@conclave/core/internal/protocol';
import { ConclaveError, type NodeId, type Protocol } from '@conclave/core/protocol';
import { complete, type Topology } from '@conclave/core/topology';
import * as needs from '@conclave/core/topology/needs';

/** The logical network of a part, and the nodes in it that accept `acquire`. */
interface Level {
  readonly nodes: Topology;
  readonly accepting: ReadonlySet<NodeId>;
}

/** The cluster of a node. */
export interface Cluster {
  readonly representative: NodeId;
  /**
   * Undefined for a representative that only serves between the clusters: it is alone and never
   * enters.
   */
  readonly within: Level | undefined;
}

/** A network, partitioned into clusters. */
export interface Clusters {
  readonly between: Level;
  readonly of: (node: NodeId) => Cluster;
}

/**
 * Partitions networks into clusters of neighbours in the network's order; their sizes differ by at
 * most one.
 */
export class Partition {
  /**
   * The indices of the clusters whose representative only serves the others, as a central
   * coordinator does.
   */
  readonly #servers: ReadonlySet<number>;
  readonly #known = new WeakMap<Topology, Clusters>();

  constructor(
    private readonly within: Protocol,
    private readonly between: Protocol,
    private readonly count: number,
  ) {
    const representatives = between.topology.overlay(complete(count));
    const accepting = nodesAccepting(between, representatives, 'acquire');
    this.#servers = new Set(
      representatives.nodes.flatMap((id, index) => (accepting.includes(id) ? [] : [index])),
    );
  }

  /** The number of nodes of each cluster. */
  sizes(n: number): readonly number[] {
    const enter = this.count - this.#servers.size;
    const share = Math.floor((n - this.#servers.size) / enter);
    let larger = (n - this.#servers.size) % enter;
    return Array.from({ length: this.count }, (_, index) =>
      this.#servers.has(index) ? 1 : share + (larger-- > 0 ? 1 : 0),
    );
  }

  /** The nodes of each cluster. */
  groups(nodes: readonly NodeId[]): readonly (readonly NodeId[])[] {
    const rest = [...nodes];
    return this.sizes(nodes.length).map((size) => rest.splice(0, size));
  }

  /** Whether nodes of the cluster with this index enter. */
  enters(index: number): boolean {
    return !this.#servers.has(index);
  }

  /**
   * The clusters of `topology`.
   * @throws {ConclaveError} `bad-topology` where a part does not run on its nodes.
   */
  of(topology: Topology): Clusters {
    const known = this.#known.get(topology) ?? this.#partition(topology.nodes);
    this.#known.set(topology, known);
    return known;
  }

  /** Why a network does not fit; undefined when it does. */
  refuses(topology: Topology): string | undefined {
    const why = needs.complete.refuses(topology);
    if (why !== undefined) return why;
    try {
      this.of(topology);
      return undefined;
    } catch (error) {
      if (error instanceof ConclaveError) return error.what;
      throw error;
    }
  }

  /** The smallest network of at least `n` nodes that fits; where none does, one that shows why. */
  example(n: number): Topology {
    const least = Math.max(n, this.count);
    for (let size = least; size < least + 8 * this.count; size++) {
      const topology = complete(size);
      if (this.refuses(topology) === undefined) return topology;
    }
    return complete(least + 4 * this.count);
  }

  #partition(nodes: readonly NodeId[]): Clusters {
    const refuse = (what: string) => new ConclaveError('bad-topology', what);
    const groups = this.groups(nodes);
    if (groups.some(({ length }) => length === 0))
      throw refuse(`${nodes.length} nodes are too few for ${this.count} clusters`);
    const all = groups.map((members, index): Cluster => {
      const [representative = ''] = members;
      const within = this.enters(index) ? level(this.within, members) : undefined;
      if (within?.accepting.size === 0)
        throw refuse(`no node in the cluster of ${representative} can enter`);
      return { representative, within };
    });
    const between = level(
      this.between,
      all.map(({ representative }) => representative),
    );
    for (const { representative, within } of all)
      if (within && !between.accepting.has(representative))
        throw refuse(
          `${representative} only serves between the clusters, but is not alone in its cluster`,
        );
    const of = new Map(
      all.flatMap((cluster, index) => (groups[index] ?? []).map((id) => [id, cluster])),
    );
    return {
      between,
      of: (node) => {
        const cluster = of.get(node);
        if (!cluster) throw refuse(`there is no node '${node}'`);
        return cluster;
      },
    };
  }
}

/** @throws {ConclaveError} `bad-topology` where the protocol does not run on these nodes. */
function level(protocol: Protocol, ids: readonly NodeId[]): Level {
  const nodes = overlay(protocol, ids);
  const why = typeof nodes === 'string' ? nodes : protocol.topology.refuses(nodes);
  if (typeof nodes === 'string' || why !== undefined)
    throw new ConclaveError(
      'bad-topology',
      `${protocol.title} does not run on ${ids.join(', ')}: ${why}`,
    );
  return { nodes, accepting: new Set(nodesAccepting(protocol, nodes, 'acquire')) };
}

/** The network of a part, or why there is none. */
function overlay({ topology }: Protocol, ids: readonly NodeId[]): Topology | string {
  try {
    return topology.overlay(complete(ids));
  } catch (error) {
    if (error instanceof ConclaveError) return error.what;
    throw error;
  }
}
