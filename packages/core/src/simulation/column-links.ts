import type { Random } from '../base/random.js';
import { type Conditions, drawDelay } from '../channel/conditions.js';
import type { ChannelFault } from '../protocol/faults.js';
import type { Message, NodeId } from '../protocol/node.js';
import type { Topology } from '../topology/topology.js';
import type { NumberedReceiver, VirtualClock } from './clock.js';
import type { NetworkListener, Partition } from './network.js';

/** A node with more channels than this finds them by a map. */
const mostScanned = 12;

interface LinkOptions {
  readonly topology: Topology;
  readonly clock: VirtualClock;
  readonly random: Random;
  readonly conditions: Conditions;
  readonly partitions: readonly Partition[];
  /** The places of the nodes in the topology. */
  readonly places: ReadonlyMap<NodeId, number>;
  /** Whether both ends of a link are in one process. */
  readonly sameProcess?: ((from: NodeId, to: NodeId) => boolean) | undefined;
}

/**
 * The channels of a network as columns: a channel is a number, and does what a `Channel` does with
 * the same draws in the same order. What channels have in common, they share; the last arrival and
 * the cuts have a column where the conditions and the faults need one.
 */
export class ColumnLinks {
  readonly from: Int32Array;
  readonly to: Int32Array;
  readonly #ids: readonly NodeId[];
  readonly #clock: VirtualClock;
  readonly #random: Random;
  #conditions: Conditions;
  /**
   * The channels of node `n` are `#order[#first[n]]` … `#order[#first[n + 1] - 1]`, in the order of
   * the topology.
   */
  readonly #first: Int32Array;
  readonly #order: Int32Array;
  /** By node: its channels by receiver, where they are many. */
  readonly #maps = new Map<number, ReadonlyMap<NodeId, number>>();
  readonly #delays: Float64Array | undefined;
  #lastArrivals: Float64Array | undefined;
  /** By channel: 1 where both ends are in one process. */
  readonly #sameProcess: Uint8Array | undefined;
  /** How many partitions cut a channel now. */
  readonly #cuts: Int32Array | undefined;

  constructor(
    {
      topology: { nodes, links },
      clock,
      random,
      conditions,
      partitions,
      places,
      sameProcess,
    }: LinkOptions,
    private readonly receiver: NumberedReceiver<Message>,
    private readonly listener: Pick<NetworkListener, 'happened' | 'toggled'>,
    /** A message as it leaves the protocol's view: without a label. */
    private readonly plain: (message: Message) => Message,
  ) {
    this.#ids = nodes;
    this.#clock = clock;
    this.#random = random;
    this.#conditions = conditions;
    this.from = new Int32Array(links.length);
    this.to = new Int32Array(links.length);
    this.#first = new Int32Array(nodes.length + 1);
    for (const [link, { from, to }] of links.entries()) {
      const sender = places.get(from) as number; // a link joins nodes of its topology
      this.from[link] = sender;
      this.to[link] = places.get(to) as number;
      this.#first[sender + 1] = this.#outDegree(sender) + 1;
    }
    for (let node = 0; node < nodes.length; node++)
      this.#first[node + 1] = this.#start(node) + this.#outDegree(node);
    this.#order = new Int32Array(links.length);
    const next = this.#first.slice();
    for (let link = 0; link < links.length; link++) {
      const sender = this.from[link] as number;
      const at = next[sender] as number;
      next[sender] = at + 1;
      this.#order[at] = link;
    }
    if (links.some(({ delay = 0 }) => delay !== 0))
      this.#delays = Float64Array.from(links, ({ delay = 0 }) => delay);
    if (sameProcess)
      this.#sameProcess = Uint8Array.from(links, ({ from, to }) => Number(sameProcess(from, to)));
    if (partitions.length > 0) this.#cuts = new Int32Array(links.length);
  }

  /** The channel from node `from` to the node `to`; −1 where there is none. */
  find(from: number, to: NodeId): number {
    const begin = this.#start(from);
    const end = this.#start(from + 1);
    if (end - begin > mostScanned) return (this.#maps.get(from) ?? this.#map(from)).get(to) ?? -1;
    for (let at = begin; at < end; at++) {
      const link = this.#order[at] as number;
      if (this.#ids[this.to[link] as number] === to) return link;
    }
    return -1;
  }

  send(link: number, message: Message): void {
    if (this.#sameProcess?.[link] === 1)
      return this.#clock.deliverFirst(this.receiver, message, link);
    const { loss, duplication } = this.#conditions;
    if (this.isCut(link) || this.#random.chance(loss)) return this.lose(link, message);
    this.#launch(link, message);
    if (!this.#random.chance(duplication)) return;
    this.#happened('duplicate', link, message);
    this.#launch(link, message);
  }

  isCut(link: number): boolean {
    return this.#cuts !== undefined && (this.#cuts[link] as number) > 0;
  }

  lose(link: number, message: Message): void {
    this.#happened('drop', link, message);
  }

  ends(link: number): { readonly from: NodeId; readonly to: NodeId } {
    return {
      from: this.#ids[this.from[link] as number] ?? '',
      to: this.#ids[this.to[link] as number] ?? '',
    };
  }

  change(conditions: Conditions): void {
    this.#conditions = conditions;
  }

  partition(groups: readonly (readonly NodeId[])[], cut: boolean): void {
    if (!this.#cuts) return;
    const groupOf = new Map(
      groups.flatMap((group, index) => group.map((id) => [id, index] as const)),
    );
    for (let link = 0; link < this.from.length; link++) {
      const { from, to } = this.ends(link);
      const [one, other] = [groupOf.get(from), groupOf.get(to)];
      if (one === undefined || other === undefined || one === other) continue;
      if (this.#sameProcess?.[link] === 1) continue;
      this.#cuts[link] = (this.#cuts[link] as number) + (cut ? 1 : -1);
      this.listener.toggled(from, to, cut);
    }
  }

  #happened(fault: ChannelFault, link: number, message: Message): void {
    const { from, to } = this.ends(link);
    this.listener.happened(fault, from, to, this.plain(message));
  }

  #launch(link: number, message: Message): void {
    const { delay, order } = this.#conditions;
    let arrival = this.#clock.now() + drawDelay(delay, this.#delays?.[link] ?? 0, this.#random);
    if (order === 'fifo') {
      this.#lastArrivals ??= new Float64Array(this.from.length);
      const last = this.#lastArrivals[link] as number;
      if (arrival < last) arrival = last;
      this.#lastArrivals[link] = arrival;
    }
    this.#clock.deliverAt(arrival, this.receiver, message, link);
  }

  #map(from: number): ReadonlyMap<NodeId, number> {
    const links = this.#order.subarray(this.#start(from), this.#start(from + 1));
    const map = new Map(Array.from(links, (link) => [this.ends(link).to, link] as const));
    this.#maps.set(from, map);
    return map;
  }

  #start(node: number): number {
    return this.#first[node] as number;
  }

  /** While the columns are filled: how many channels of `node` are counted. */
  #outDegree(node: number): number {
    return this.#first[node + 1] as number;
  }
}
