import type { AnyMachineSnapshot } from 'xstate';
import type { Channel } from '../channel/channel.js';
import type { Random } from '../channel/random.js';
import { type Host, NodeActor, type Stimulus } from '../protocol/actor.js';
import { viewOfNode } from '../protocol/check-properties.js';
import { crashNotices, requireNoNotice } from '../protocol/crash-notice.js';
import { labelOf, NodeHistory, unlabelled } from '../protocol/history.js';
import type { Json, Message, NodeId, Received } from '../protocol/node.js';
import { causeOf, nodeStep } from '../protocol/node-step.js';
import type { InFlight } from '../protocol/property.js';
import type { Protocol } from '../protocol/protocol.js';
import { astray, type HostEffect } from '../protocol/step.js';
import type { Topology } from '../topology/topology.js';
import type { VirtualClock } from './clock.js';
import { LinkLayer, type LinkLayerOptions } from './link-layer.js';

/** The events of a network. */
export interface NetworkListener {
  /** A node has made a step; its messages are not sent yet. `past`: its history variable before. */
  stepped(
    node: NodeActor,
    stimulus: Stimulus,
    before: AnyMachineSnapshot | undefined,
    effects: readonly HostEffect[],
    past: Json | undefined,
  ): void;
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

/** A step of an actor: what it reacted to, the snapshot before, and the effects. */
interface TakenStep {
  readonly actor: NodeActor;
  readonly stimulus: Stimulus;
  readonly before: AnyMachineSnapshot | undefined;
  readonly effects: readonly HostEffect[];
}

/** One node: its actor, its outgoing channels, and its message counts. */
export class SimulatedNode implements Host {
  readonly actor: NodeActor;
  readonly clock: VirtualClock;
  readonly freezes: boolean;
  readonly out = new Map<NodeId, Channel<Message>>();
  sent = 0;
  received = 0;
  readonly #history: NodeHistory | undefined;
  /** What the message that is being received carries along. */
  #label: Json | undefined;
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
    this.#history = NodeHistory.of(options.protocol, options.topology, id);
    this.actor.history = this.#history?.initial();
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
    const past = actor.history;
    if (this.#history && past !== undefined) actor.history = this.#after(this.#history, past, { actor, stimulus, before, effects });
    this.listener.stepped(actor, stimulus, before, effects, past);
    for (const effect of effects) if (effect.type === 'send') this.#send(effect.to, effect.message);
    this.listener.settled(actor, before);
  }

  choose(_actor: NodeActor, options: readonly Json[]): Json {
    return this.options.choices.pick(options);
  }

  /** What comes out of a channel: a message, or a frame of the reliable link. */
  take(from: NodeId, message: Message): void {
    if (this.actor.crashed) this.listener.lost(from, this.id, this.#links ? undefined : unlabelled(message));
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

  /** The history after a step; a start or restart is none. */
  #after(history: NodeHistory, past: Json, { actor, stimulus, before, effects }: TakenStep): Json {
    const label = this.#label;
    this.#label = undefined; // the answers to choices are steps of their own
    const cause = before && causeOf(stimulus);
    if (!before || !cause) return past;
    const { protocol } = this.options;
    const { id, role } = actor;
    const was = viewOfNode(protocol, id, role, { value: before.value, context: before.context, tags: before.tags, recorded: past });
    const is = viewOfNode(protocol, id, role, { value: actor.value, context: actor.context, tags: actor.tags });
    return history.after(past, { ...nodeStep(was, is, cause, effects), ...(label === undefined ? {} : { label }) });
  }

  #arrive(from: NodeId, carried: Message): void {
    const message = unlabelled(carried);
    this.#label = labelOf(carried);
    this.received++;
    this.listener.delivered(from, this.id, message);
    const received: Received<Message> = { ...message, from };
    this.actor.receive(received);
  }

  #send(to: NodeId, message: Message): void {
    const channel = this.out.get(to);
    if (!channel) throw astray(this.id, { to, message }, this.options.topology.spec);
    requireNoNotice(this.options.protocol, this.id, message);
    this.sent++;
    this.listener.sent(this.id, to, message);
    const { history } = this.actor;
    const carried = this.#history && history !== undefined ? this.#history.labelled(message, history) : message;
    if (!this.#links) return channel.next(carried);
    const waiting = this.#unacknowledged?.get(to) ?? [];
    this.#unacknowledged?.set(to, waiting);
    waiting.push(message);
    this.#links.send(to, carried);
  }
}
