import { BehaviorSubject, map, type Observable, Subscriber } from 'rxjs';
import { Channel, type ChannelObserver } from '../channel/channel.js';
import type { Conditions } from '../channel/conditions.js';
import type { Random } from '../channel/random.js';
import { badInput } from '../protocol/error.js';
import { unlabelled } from '../protocol/history.js';
import type { Message, NodeId } from '../protocol/node.js';
import type { InFlight } from '../protocol/property.js';
import { type Fault, separates } from './faults.js';
import { requireTwoWayLinks } from './link-layer.js';
import { type NetworkListener, type NodeOptions, SimulatedNode } from './simulated-node.js';

interface NetworkOptions extends NodeOptions {
  /** For the channels. */
  readonly random: Random;
  readonly conditions: Conditions;
  readonly partitions: readonly (Fault & { kind: 'partition' })[];
}

/** The nodes of a topology as actors, and its links as channels between them. */
export class Network {
  readonly nodes: readonly SimulatedNode[];
  readonly #byId: ReadonlyMap<NodeId, SimulatedNode>;
  readonly #channels: readonly Channel<Message>[];
  /** The channels that some partition cuts, each with the number of partitions that cut it now. */
  readonly #switches: { readonly from: NodeId; readonly to: NodeId; readonly cuts: BehaviorSubject<number> }[] = [];

  constructor(
    private readonly options: NetworkOptions,
    private readonly listener: NetworkListener,
  ) {
    const { topology, clock, random, partitions, reliable } = options;
    if (reliable) requireTwoWayLinks(topology.links, (from, to) => topology.link(from, to) !== undefined);
    this.nodes = topology.nodes.map((id) => new SimulatedNode(id, options, listener, (other) => this.node(other)));
    this.#byId = new Map(this.nodes.map((node) => [node.id, node]));
    const observer: ChannelObserver<Message> = {
      lost: ({ from, to }, message) => listener.lost(from, to, reliable ? undefined : unlabelled(message)),
      duplicated: ({ from, to }, message) => listener.duplicated(from, to, reliable ? undefined : unlabelled(message)),
    };
    this.#channels = topology.links.map(({ from, to, delay = 0 }) => {
      const cut$ = partitions.some(({ groups }) => separates(groups, from, to)) ? this.#cutSwitch(from, to) : undefined;
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

  /** The messages in flight. */
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

  /** Cuts or heals every channel between different groups; a channel cut twice must be healed twice. */
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

  #cutSwitch(from: NodeId, to: NodeId): Observable<boolean> {
    const cuts = new BehaviorSubject(0);
    this.#switches.push({ from, to, cuts });
    return cuts.pipe(map((count) => count > 0));
  }
}

/** A subscriber that passes errors on: RxJS's own would report a broken node contract only after the run. */
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
