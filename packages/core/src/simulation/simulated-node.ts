import type { AnyMachineSnapshot } from 'xstate';
import type { Channel } from '../channel/channel.js';
import { type Host, NodeActor } from '../protocol/actor.js';
import { messageToStranger } from '../protocol/contract-errors.js';
import { requireCounters } from '../protocol/counters.js';
import { crashNotices, requireNoNotice } from '../protocol/crash-notice.js';
import { labelOf, NodeHistory, unlabelled } from '../protocol/history.js';
import type { Json, Message, NodeId, Received } from '../protocol/node.js';
import type { TimerClock } from '../protocol/node-timers.js';
import type { InFlight } from '../protocol/property.js';
import type { HostEffect } from '../protocol/step.js';
import type { Stimulus } from '../protocol/stimulus.js';
import { historyAfter } from './history-step.js';
import { LinkLayer, type LinkLayerOptions } from './link-layer.js';
import type { NetworkListener, NetworkOptions, TakenStep } from './network.js';

export interface ActorOptions extends NetworkOptions {
  /** Whether a reliable link stands between the nodes and the channels. */
  readonly reliable: LinkLayerOptions | undefined;
}

/** One node: its actor, its outgoing channels, and its message counts. */
export class SimulatedNode implements Host {
  readonly actor: NodeActor;
  readonly clock: TimerClock;
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
    readonly place: number,
    private readonly options: ActorOptions,
    private readonly listener: NetworkListener,
    /** The node of this id. */
    private readonly peer: (id: NodeId) => SimulatedNode,
  ) {
    const { clock, durationOf } = options;
    this.clock = {
      setTimeout: (fire, delay) => clock.setTimer(fire, durationOf(place, delay)),
      clearTimeout: (handle) => clock.clearTimeout(handle),
    };
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

  stepped(
    actor: NodeActor,
    stimulus: Stimulus,
    before: AnyMachineSnapshot | undefined,
    effects: readonly HostEffect[],
  ): void {
    const { listener, place } = this;
    const step: TakenStep = {
      stimulus,
      before,
      after: actor.snapshot,
      past: actor.history,
      effects,
    };
    if (this.#history)
      actor.history = historyAfter(this.#history, this.options.protocol, actor, step, this.#label);
    this.#label = undefined; // the answers to choices are steps of their own
    listener.stepped(stimulus.kind === 'event' ? stimulus.event : undefined);
    if (listener.wantsSteps) listener.took(place, step);
    const interruption = listener.crashIn(place, effects);
    for (const { to, message } of interruption?.unsent ?? []) this.#channelFor(to, message);
    for (const effect of interruption?.sent ?? effects)
      if (effect.type === 'send') this.#send(effect.to, effect.message);
    if (interruption) listener.interrupted(place, interruption);
    const { tags } = actor;
    listener.settled(
      place,
      before?.value === actor.value && !actor.crashed ? tags : before?.tags,
      tags,
    );
  }

  choose(_actor: NodeActor, options: readonly Json[], weights?: readonly number[]): Json {
    return this.options.choices.draw(options, weights);
  }

  /** What comes out of a channel: a message, or a frame of the reliable link. */
  take(from: NodeId, message: Message): void {
    if (this.actor.crashed)
      this.listener.lost(from, this.id, this.#links ? undefined : unlabelled(message));
    else if (this.#links) this.#links.receive(from, message);
    else this.#arrive(from, message);
  }

  *unacknowledged(): Generator<InFlight> {
    for (const [to, messages] of this.#unacknowledged ?? [])
      for (const message of messages) yield { from: this.id, to, message };
  }

  crash(): void {
    this.actor.crash();
    this.#links?.close();
    this.#unacknowledged?.clear();
    const { protocol, topology } = this.options;
    for (const { to, message } of crashNotices(protocol, topology, this.id))
      this.out.get(to)?.next(message);
  }

  restart(): void {
    this.#links?.reopen();
    this.actor.restart();
  }

  stop(): void {
    this.actor.stop();
    this.#links?.close();
  }

  #arrive(from: NodeId, carried: Message): void {
    const message = unlabelled(carried);
    this.#label = labelOf(carried);
    this.received++;
    this.listener.delivered(this.peer(from).place, this.place, message);
    const received: Received<Message> = { ...message, from };
    this.actor.receive(received);
  }

  /** @throws {ConclaveError} `bad-protocol` for a message that the node must not send. */
  #channelFor(to: NodeId, message: Message): Channel<Message> {
    const channel = this.out.get(to);
    if (!channel) throw messageToStranger(this.id, { to, message }, this.options.topology.spec);
    requireNoNotice(this.options.protocol, this.id, message);
    requireCounters(this.options.protocol, this.id, message);
    return channel;
  }

  #send(to: NodeId, message: Message): void {
    const channel = this.#channelFor(to, message);
    this.sent++;
    this.listener.sent(message);
    const { history } = this.actor;
    const carried =
      this.#history && history !== undefined ? this.#history.labelled(message, history) : message;
    if (!this.#links) return channel.next(carried);
    const waiting = this.#unacknowledged?.get(to) ?? [];
    this.#unacknowledged?.set(to, waiting);
    waiting.push(message);
    this.#links.send(to, carried);
  }
}
