import { BehaviorSubject, map, type Observable, Subscriber } from 'rxjs';
import { badInput } from '../base/error.js';
import { Channel, type ChannelObserver } from '../channel/channel.js';
import type { Conditions } from '../channel/conditions.js';
import type { NodeActor } from '../protocol/actor.js';
import { unlabelled } from '../protocol/history.js';
import type { Command, Message, NodeId } from '../protocol/node.js';
import type { InFlight } from '../protocol/property.js';
import { separates } from './faults.js';
import { requireTwoWayLinks } from './link-layer.js';
import type { Loads, Network, NetworkListener } from './network.js';
import { type ActorOptions, SimulatedNode } from './simulated-node.js';

/**
 * The nodes of a topology as XState actors, and its links as RxJS channels between them: the
 * definition of a simulation.
 */
export class ActorNetwork implements Network {
  readonly nodes: readonly SimulatedNode[];
  readonly views: readonly NodeActor[];
  readonly confirmed = undefined;
  readonly #byId: ReadonlyMap<NodeId, SimulatedNode>;
  readonly #channels: readonly Channel<Message>[];
  /** The channels that some partition cuts, each with the number of partitions that cut it now. */
  readonly #switches: {
    readonly from: NodeId;
    readonly to: NodeId;
    readonly cuts: BehaviorSubject<number>;
  }[] = [];

  constructor(
    private readonly options: ActorOptions,
    private readonly listener: NetworkListener,
  ) {
    const { topology, clock, random, partitions, reliable } = options;
    if (reliable)
      requireTwoWayLinks(topology.links, (from, to) => topology.link(from, to) !== undefined);
    this.nodes = topology.nodes.map(
      (id, place) => new SimulatedNode(id, place, options, listener, (other) => this.node(other)),
    );
    this.views = this.nodes.map(({ actor }) => actor);
    this.#byId = new Map(this.nodes.map((node) => [node.id, node]));
    const observer: ChannelObserver<Message> = {
      lost: ({ from, to }, message) =>
        listener.lost(from, to, reliable ? undefined : unlabelled(message)),
      duplicated: ({ from, to }, message) =>
        listener.duplicated(from, to, reliable ? undefined : unlabelled(message)),
    };
    this.#channels = topology.links.map(({ from, to, delay = 0 }) => {
      const cut$ = partitions.some(({ groups }) => separates(groups, from, to))
        ? this.#cutSwitch(from, to)
        : undefined;
      const channel = new Channel<Message>(from, to, {
        clock,
        random,
        conditions: options.conditions,
        linkDelay: delay,
        observer,
        ...(cut$ ? { cut$ } : {}),
      });
      channel.subscribe(new Inbox(this.node(to), from));
      this.node(from).out.set(to, channel);
      return channel;
    });
  }

  node(id: NodeId): SimulatedNode {
    const node = this.#byId.get(id);
    if (!node) throw badInput(`The network '${this.options.topology.spec}' has no node '${id}'`);
    return node;
  }

  view(node: number): NodeActor {
    return this.#at(node).actor;
  }

  placeOf(id: NodeId): number | undefined {
    return this.#byId.get(id)?.place;
  }

  start(): void {
    for (const { actor } of this.nodes) actor.start();
  }

  tell(node: number, command: Command): void {
    const { actor } = this.#at(node);
    if (!actor.crashed) actor.receive(command);
  }

  isCrashed(node: number): boolean {
    return this.#at(node).actor.crashed;
  }

  tagsOf(node: number): ReadonlySet<string> {
    return this.#at(node).actor.tags;
  }

  crash(node: number): void {
    this.#at(node).crash();
  }

  restart(node: number): void {
    this.#at(node).restart();
  }

  get loads(): Loads {
    return {
      sent: this.nodes.map(({ sent }) => sent),
      received: this.nodes.map(({ received }) => received),
    };
  }

  *inFlight(): Generator<InFlight> {
    if (this.options.reliable) for (const node of this.nodes) yield* node.unacknowledged();
    else
      for (const [channel, message] of this.options.clock.awaiting<Message>(Channel)) {
        const { from, to } = channel as Channel<Message>; // awaiting yields channels only
        yield { from, to, message: unlabelled(message) };
      }
  }

  change(conditions: Conditions): void {
    for (const channel of this.#channels) channel.conditions = conditions;
  }

  partition(groups: readonly (readonly NodeId[])[], cut: boolean): void {
    for (const { from, to, cuts } of this.#switches) {
      if (!separates(groups, from, to)) continue;
      cuts.next(cuts.value + (cut ? 1 : -1));
      this.listener.toggled(from, to, cut);
    }
  }

  stop(): void {
    for (const node of this.nodes) node.stop();
  }

  #at(node: number): SimulatedNode {
    return this.nodes[node] as SimulatedNode; // places are those of the topology
  }

  #cutSwitch(from: NodeId, to: NodeId): Observable<boolean> {
    const cuts = new BehaviorSubject(0);
    this.#switches.push({ from, to, cuts });
    return cuts.pipe(map((count) => count > 0));
  }
}

/**
 * A subscriber that passes errors on: RxJS's own would report a broken node contract only after the
 * run.
 */
class Inbox extends Subscriber<Message> {
  constructor(
    private readonly node: SimulatedNode,
    private readonly from: NodeId,
  ) {
    super();
  }

  override next(message: Message): void {
    this.node.take(this.from, message);
  }
}
