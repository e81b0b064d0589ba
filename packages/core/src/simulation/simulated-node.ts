import type { AnyMachineSnapshot } from 'xstate';
import type { Channel } from '../channel/channel.js';
import type { Random } from '../channel/random.js';
import { type Host, NodeActor, type Stimulus } from '../protocol/actor.js';
import { crashNotices } from '../protocol/crash-notice.js';
import type { Json, Message, NodeId, Received } from '../protocol/node.js';
import type { InFlight } from '../protocol/property.js';
import type { Protocol } from '../protocol/protocol.js';
import { astray, type HostEffect } from '../protocol/step.js';
import type { Topology } from '../topology/topology.js';
import type { VirtualClock } from './clock.js';
import { LinkLayer, type LinkLayerOptions } from './link-layer.js';

/** The events of a network. */
export interface NetworkListener {
  /** A node has made a step; its messages are not sent yet. */
  stepped(node: NodeActor, stimulus: Stimulus, before: AnyMachineSnapshot | undefined, effects: readonly HostEffect[]): void;
  /** The messages of the step are in flight. */
  settled(node: NodeActor, before: AnyMachineSnapshot | undefined): void;
  sent(from: NodeId, to: NodeId, message: Message): void;
  delivered(from: NodeId, to: NodeId, message: Message): void;
  /** `message` is undefined where it was a frame of the reliable link below the protocol. */
  lost(from: NodeId, to: NodeId, message: Message | undefined): void;
  duplicated(from: NodeId, to: NodeId, message: Message | undefined): void;
  framed(): void;
  toggled(from: NodeId, to: NodeId, cut: boolean): void;
  failed(error: unknown): void;
}

export interface NodeOptions {
  readonly protocol: Protocol;
  readonly topology: Topology;
  readonly clock: VirtualClock;
  /** For the `choose` effects. */
  readonly choices: Random;
  /** Whether contexts and messages are frozen, so that a machine cannot change them. */
  readonly freezes: boolean;
  /** Whether a reliable link stands between the nodes and the channels. */
  readonly reliable: LinkLayerOptions | undefined;
}

/** One node: its actor, its outgoing channels, and its message counts. */
export class SimulatedNode implements Host {
  readonly actor: NodeActor;
  readonly clock: VirtualClock;
  readonly freezes: boolean;
  readonly out = new Map<NodeId, Channel<Message>>();
  sent = 0;
  received = 0;
  readonly #links: LinkLayer | undefined;
  /** With a reliable link, by receiver: what was sent and not yet delivered, oldest first. */
  readonly #unacknowledged: Map<NodeId, Message[]> | undefined;

  constructor(
    readonly id: NodeId,
    private readonly options: NodeOptions,
    private readonly listener: NetworkListener,
    /** The node of this id. */
    private readonly peer: (id: NodeId) => SimulatedNode,
  ) {
    this.clock = options.clock;
    this.freezes = options.freezes;
    this.actor = new NodeActor(options.protocol, options.topology, id, this);
    this.#unacknowledged = options.reliable && new Map();
    this.#links =
      options.reliable &&
      new LinkLayer(id, options.reliable, {
        clock: options.clock,
        transmit: (to, frame) => {
          listener.framed();
          this.out.get(to)?.next(frame);
        },
        deliver: (from, message) => {
          this.peer(from).#unacknowledged?.get(id)?.shift();
          this.#arrive(from, message);
        },
        failed: (error) => listener.failed(error),
      });
  }

  stepped(actor: NodeActor, stimulus: Stimulus, before: AnyMachineSnapshot | undefined, effects: readonly HostEffect[]): void {
    this.listener.stepped(actor, stimulus, before, effects);
    for (const effect of effects) if (effect.type === 'send') this.#send(effect.to, effect.message);
    this.listener.settled(actor, before);
  }

  choose(_actor: NodeActor, options: readonly Json[]): Json {
    return this.options.choices.pick(options);
  }

  /** What comes out of a channel: a message, or a frame of the reliable link. */
  take(from: NodeId, message: Message): void {
    if (this.actor.crashed) this.listener.lost(from, this.id, this.#links ? undefined : message);
    else if (this.#links) this.#links.receive(from, message);
    else this.#arrive(from, message);
  }

  *unacknowledged(): Generator<InFlight> {
    for (const [to, messages] of this.#unacknowledged ?? []) for (const message of messages) yield { from: this.id, to, message };
  }

  crash(): void {
    this.actor.crash();
    this.#links?.close();
    this.#unacknowledged?.clear();
    const { protocol, topology } = this.options;
    for (const { to, message } of crashNotices(protocol, topology, this.id)) this.out.get(to)?.next(message);
  }

  restart(): void {
    this.#links?.reopen();
    this.actor.restart();
  }

  stop(): void {
    this.actor.stop();
    this.#links?.close();
  }

  #arrive(from: NodeId, message: Message): void {
    this.received++;
    this.listener.delivered(from, this.id, message);
    const received: Received<Message> = { ...message, from };
    this.actor.receive(received);
  }

  #send(to: NodeId, message: Message): void {
    const channel = this.out.get(to);
    if (!channel) throw astray(this.id, { to, message }, this.options.topology.spec);
    this.sent++;
    this.listener.sent(this.id, to, message);
    if (!this.#links) return channel.next(message);
    const waiting = this.#unacknowledged?.get(to) ?? [];
    this.#unacknowledged?.set(to, waiting);
    waiting.push(message);
    this.#links.send(to, message);
  }
}
