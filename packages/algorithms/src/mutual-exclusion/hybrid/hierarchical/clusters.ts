/**
 * Which nodes form a cluster, and the role of each node in both parts: of a member in the lock within
 * its cluster, of a representative also in the lock between the clusters.
 */
import { nodesAccepting, roleOf } from '@conclave/core/internal';
import {
  always,
  ConclaveError,
  type Json,
  type NodeId,
  type NodeView,
  never,
  type Property,
  type Protocol,
  type SystemView,
} from '@conclave/core/protocol';
import { complete, type Topology } from '@conclave/core/topology';
import * as needs from '@conclave/core/topology/needs';
import {
  partCounters,
  partProperty,
  partStable,
  partSystem,
  partView,
} from '../../../composition/part.js';
import { awaitedBy } from '../../mutual-exclusion.js';
import { machineOf } from './hierarchical.js';

/** The logical network of a part, and the nodes in it that accept `acquire`. */
interface Level {
  readonly nodes: Topology;
  readonly accepting: ReadonlySet<NodeId>;
}

/** The cluster of a node. */
interface Cluster {
  readonly representative: NodeId;
  /**
   * Undefined for a representative that only serves between the clusters: it is alone and never
   * enters.
   */
  readonly within: Level | undefined;
}

/** A network, partitioned into clusters. */
interface Clusters {
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

type NamedRole = ReturnType<typeof roleOf>;
type Role = Protocol['roles'][string];

/** A node's role in the hierarchy, and its roles in the parts. */
interface RoleAssignment {
  /**
   * `member`, `representative`, or `server` for a representative without a cluster, followed by its
   * roles in parts that have several.
   */
  readonly name: string;
  readonly within: NamedRole | undefined;
  readonly between: NamedRole | undefined;
  readonly enters: boolean;
  readonly represents: boolean;
}

/** The roles of the nodes of a hierarchy. */
export class RoleAssignments {
  constructor(
    private readonly within: Protocol,
    private readonly between: Protocol,
    private readonly partition: Partition,
    private readonly turns: number,
  ) {}

  of(node: NodeId, topology: Topology): RoleAssignment {
    const clusters = this.partition.of(topology);
    const cluster = clusters.of(node);
    const within = cluster.within && roleOf(this.within, node, cluster.within.nodes);
    const between =
      cluster.representative === node
        ? roleOf(this.between, node, clusters.between.nodes)
        : undefined;
    const kind =
      between === undefined ? 'member' : within === undefined ? 'server' : 'representative';
    const named = [
      hasRoles(this.within) ? within?.name : undefined,
      hasRoles(this.between) ? between?.name : undefined,
    ];
    return {
      name: [kind, ...named.filter((name) => name !== undefined)].join('-'),
      within,
      between,
      enters: cluster.within?.accepting.has(node) ?? false,
      represents: kind === 'representative',
    };
  }

  /**
   * For whom a node waits: in its cluster; then between the clusters, or for its representative.
   */
  awaited(node: NodeView, topology: Topology): readonly NodeId[] {
    const clusters = this.partition.of(topology);
    const { within, representative } = clusters.of(node.id);
    const [inner, outer] = [partView('within', node), partView('between', node)];
    if (inner?.tags.has('waiting'))
      return within ? awaitedBy(this.within, inner, within.nodes) : [];
    return outer ? awaitedBy(this.between, outer, clusters.between.nodes) : [representative];
  }

  /** The roles in small networks; larger networks have no others. */
  roles(): Readonly<Record<string, Role>> {
    const { nodes } = this.partition.example(1);
    const assignments = new Map<string, RoleAssignment>();
    for (let more = 0; more < 6; more++) {
      const topology = this.partition.example(nodes.length + more);
      if (this.partition.refuses(topology) !== undefined) continue; // defineProtocol reports it
      for (const id of topology.nodes) {
        const assignment = this.of(id, topology);
        assignments.set(assignment.name, assignment);
      }
    }
    return Object.fromEntries(
      [...assignments].map(([name, assignment]) => [name, this.#role(assignment)]),
    );
  }

  /**
   * The properties of the parts that concern single worlds and steps: of each cluster by itself,
   * and between the representatives.
   */
  invariants(): readonly Property[] {
    return [
      ...this.within.properties.flatMap((property) => this.#inEachCluster(property)),
      ...this.between.properties.flatMap((property) =>
        isInvariant(property) || property.kind === 'everyStep'
          ? [
              {
                ...partProperty('between', property),
                name: `between the clusters: ${property.name}`,
              },
            ]
          : [],
      ),
      never('a node outside its critical section has a fencing token', ({ nodes }) =>
        nodes.some(({ tags, context: { fence = 0 } }) => !tags.has('critical') && fence !== 0),
      ),
    ];
  }

  #inEachCluster(property: Property): readonly Property[] {
    const name = `in each cluster: ${property.name}`;
    if (property.kind === 'everyStep') return [{ ...partProperty('within', property), name }];
    if (!isInvariant(property)) return [];
    const { kind, holds } = property;
    return [
      always(name, (system) =>
        this.#memberships(system).every(
          (members) => holds(partSystem('within', system, members)) === (kind === 'always'),
        ),
      ),
    ];
  }

  /** The members of the clusters that enter. */
  #memberships({ nodes }: SystemView): readonly ReadonlySet<NodeId>[] {
    const groups = this.partition.groups(nodes.map(({ id }) => id));
    return groups
      .filter((_, index) => this.partition.enters(index))
      .map((members) => new Set(members));
  }

  /**
   * The agent needs the fencing token within a step, where a node sees its context, but neither its
   * state nor its tags.
   */
  #outerFence(context: Json, id: NodeId, role: string): number {
    const { title, fence } = this.between;
    if (!fence) return 0;
    const unavailable = (what: string): never => {
      throw new ConclaveError(
        'bad-protocol',
        `The fence of ${title} reads the ${what} of a node`,
        'Between clusters it can read the context only.',
      );
    };
    return fence({
      id,
      role,
      context: Object(context),
      crashed: false,
      get value() {
        return unavailable('state');
      },
      get tags() {
        return unavailable('tags');
      },
    });
  }

  #role({ within, between, enters, represents }: RoleAssignment): Role {
    const { turns } = this;
    const machine = machineOf({
      within: within?.machine,
      between: between?.machine,
      enters,
      represents,
      turns,
      outerFence: (context, self) => this.#outerFence(context, self, between?.name ?? ''),
    });
    return {
      machine,
      stable: [...partStable('within', within), ...partStable('between', between)],
      counters: [...partCounters('within', within), ...partCounters('between', between)],
      input: (self, topology) => {
        const { of, between: outer } = this.partition.of(topology);
        const cluster = of(self);
        return {
          self,
          representative: cluster.representative,
          within: cluster.within && within ? within.input(self, cluster.within.nodes) : null,
          between: between ? between.input(self, outer.nodes) : null,
        };
      },
    };
  }
}

const isInvariant = (property: Property) => property.kind === 'always' || property.kind === 'never';

const hasRoles = ({ roles }: Protocol) => Object.keys(roles).length > 1;
