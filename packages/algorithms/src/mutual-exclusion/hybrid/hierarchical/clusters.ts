import { ConclaveError, type NodeId, nodesAccepting, type Protocol } from '@conclave/core/protocol';
import { complete, needs, type Topology } from '@conclave/core/topology';

/** What a part is in one network of nodes: the logical network it runs on, and those of its nodes that enter by themselves. */
interface Level {
  readonly nodes: Topology;
  readonly accepting: ReadonlySet<NodeId>;
}

/** Some nodes, one of which represents them. */
export interface Cluster {
  readonly representative: NodeId;
  /** Undefined for a representative that only serves between the clusters: it is alone, and never enters. */
  readonly within: Level | undefined;
}

/** A network of nodes, cut into clusters. */
export interface Clusters {
  readonly between: Level;
  readonly of: (node: NodeId) => Cluster;
}

/** Cuts networks into clusters of neighbours in the network's order, as equal as may be. */
export class Partition {
  /** The places of the representatives that only serve the others, as a central coordinator does. */
  readonly #servers: ReadonlySet<number>;
  readonly #made = new WeakMap<Topology, Clusters>();

  constructor(
    private readonly within: Protocol,
    private readonly between: Protocol,
    private readonly count: number,
  ) {
    const representatives = between.topology.overlay(complete(count));
    const accepting = nodesAccepting(between, representatives, 'acquire');
    this.#servers = new Set(representatives.nodes.flatMap((id, place) => (accepting.includes(id) ? [] : [place])));
  }

  /** How many nodes each cluster gets. */
  sizes(n: number): readonly number[] {
    const enter = this.count - this.#servers.size;
    const share = Math.floor((n - this.#servers.size) / enter);
    let larger = (n - this.#servers.size) % enter;
    return Array.from({ length: this.count }, (_, place) => (this.#servers.has(place) ? 1 : share + (larger-- > 0 ? 1 : 0)));
  }

  /** The nodes of each cluster. */
  groups(nodes: readonly NodeId[]): readonly (readonly NodeId[])[] {
    const rest = [...nodes];
    return this.sizes(nodes.length).map((size) => rest.splice(0, size));
  }

  /** Whether the cluster in this place enters at all. */
  enters(place: number): boolean {
    return !this.#servers.has(place);
  }

  /** The clusters of `topology`. @throws {ConclaveError} `bad-topology` where a part does not run on what it gets. */
  of(topology: Topology): Clusters {
    const known = this.#made.get(topology);
    if (known) return known;
    const made = this.#cut(topology.nodes);
    this.#made.set(topology, made);
    return made;
  }

  /** Why a network will not do; undefined when it will. */
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

  /** The smallest network of at least `n` nodes that will do; where none does, one that shows why. */
  example(n: number): Topology {
    const least = Math.max(n, this.count);
    for (let size = least; size < least + 8 * this.count; size++) {
      const topology = complete(size);
      if (this.refuses(topology) === undefined) return topology;
    }
    return complete(least + 4 * this.count);
  }

  #cut(nodes: readonly NodeId[]): Clusters {
    const refuse = (what: string) => new ConclaveError('bad-topology', what);
    const groups = this.groups(nodes);
    if (groups.some(({ length }) => length === 0)) throw refuse(`${nodes.length} nodes are too few for ${this.count} clusters`);
    const all = groups.map((members, place): Cluster => {
      const [representative = ''] = members;
      const within = this.enters(place) ? level(this.within, members) : undefined;
      if (within?.accepting.size === 0) throw refuse(`nobody in the cluster of ${representative} could enter`);
      return { representative, within };
    });
    const between = level(
      this.between,
      all.map(({ representative }) => representative),
    );
    for (const { representative, within } of all)
      if (within && !between.accepting.has(representative))
        throw refuse(`${representative} only serves between the clusters, and is not alone`);
    const of = new Map(all.flatMap((cluster, place) => (groups[place] ?? []).map((id) => [id, cluster])));
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
    throw new ConclaveError('bad-topology', `${protocol.title} does not run on ${ids.join(', ')}: ${why}`);
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
