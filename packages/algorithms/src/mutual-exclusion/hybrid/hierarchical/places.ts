import {
  always,
  ConclaveError,
  type Json,
  type NodeId,
  never,
  type Property,
  type Protocol,
  type Role,
  roleOf,
  type SystemView,
} from '@conclave/core/protocol';
import type { Topology } from '@conclave/core/topology';
import { partProperty, partStable, partSystem } from '../../../composition/part.js';
import type { Partition } from './clusters.js';
import { machineOf } from './hierarchical.js';

type NamedRole = ReturnType<typeof roleOf>;

/** What a node is in the whole: its role, and the roles it plays in the parts. */
interface Place {
  /** `member`, `representative`, or `server` for a representative without a cluster; and its roles in parts that have several. */
  readonly name: string;
  readonly within: NamedRole | undefined;
  readonly between: NamedRole | undefined;
  readonly enters: boolean;
  readonly represents: boolean;
}

/** The roles of two protocols on two levels. */
export class Places {
  constructor(
    private readonly within: Protocol,
    private readonly between: Protocol,
    private readonly partition: Partition,
    private readonly turns: number,
  ) {}

  of(node: NodeId, topology: Topology): Place {
    const clusters = this.partition.of(topology);
    const cluster = clusters.of(node);
    const within = cluster.within && roleOf(this.within, node, cluster.within.nodes);
    const between = cluster.representative === node ? roleOf(this.between, node, clusters.between.nodes) : undefined;
    const kind = between === undefined ? 'member' : within === undefined ? 'server' : 'representative';
    const named = [isTold(this.within) ? within?.name : undefined, isTold(this.between) ? between?.name : undefined];
    return {
      name: [kind, ...named.filter((name) => name !== undefined)].join('-'),
      within,
      between,
      enters: cluster.within?.accepting.has(node) ?? false,
      represents: kind === 'representative',
    };
  }

  /** The roles there are in small networks; larger ones have no others. */
  roles(): Readonly<Record<string, Role>> {
    const { nodes } = this.partition.example(1);
    const places = new Map<string, Place>();
    for (let more = 0; more < 6; more++) {
      const topology = this.partition.example(nodes.length + more);
      if (this.partition.refuses(topology) !== undefined) continue; // defineProtocol says so
      for (const id of topology.nodes) {
        const place = this.of(id, topology);
        places.set(place.name, place);
      }
    }
    return Object.fromEntries([...places].map(([name, place]) => [name, this.#role(place)]));
  }

  /** What the parts promise at every moment and of every step: in each cluster by itself, and between the representatives. */
  promises(): readonly Property[] {
    return [
      ...this.within.properties.flatMap((property) => this.#inEachCluster(property)),
      ...this.between.properties.flatMap((property) =>
        isLasting(property) || property.kind === 'everyStep'
          ? [{ ...partProperty('between', property), name: `between the clusters: ${property.name}` }]
          : [],
      ),
      never('a node outside has the number of an entry', ({ nodes }) =>
        nodes.some(({ tags, context: { fence = 0 } }) => !tags.has('critical') && fence !== 0),
      ),
    ];
  }

  #inEachCluster(property: Property): readonly Property[] {
    const name = `in each cluster: ${property.name}`;
    if (property.kind === 'everyStep') return [{ ...partProperty('within', property), name }];
    if (!isLasting(property)) return [];
    const { kind, holds } = property;
    return [
      always(name, (system) =>
        this.#memberships(system).every((members) => holds(partSystem('within', system, members)) === (kind === 'always')),
      ),
    ];
  }

  /** The members of the clusters that enter. */
  #memberships({ nodes }: SystemView): readonly ReadonlySet<NodeId>[] {
    const groups = this.partition.groups(nodes.map(({ id }) => id));
    return groups.filter((_, place) => this.partition.enters(place)).map((members) => new Set(members));
  }

  /** Whoever admits somebody is in a step, where a node sees its context and nothing else of itself. */
  #outerFence(context: Json, id: NodeId, role: string): number {
    const { title, fence } = this.between;
    if (!fence) return 0;
    const unseen = (what: string): never => {
      throw new ConclaveError(
        'bad-protocol',
        `The fence of ${title} looks at the ${what} of a node`,
        'Between clusters it sees the context only.',
      );
    };
    return fence({
      id,
      role,
      context: Object(context),
      crashed: false,
      get value() {
        return unseen('state');
      },
      get tags() {
        return unseen('tags');
      },
    });
  }

  #role({ within, between, enters, represents }: Place): Role {
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

const isLasting = (property: Property) => property.kind === 'always' || property.kind === 'never';

const isTold = ({ roles }: Protocol) => Object.keys(roles).length > 1;
