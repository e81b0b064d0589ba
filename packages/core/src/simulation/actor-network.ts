/**
 * The definition of a simulation: nodes as XState actors, links as RxJS channels. The columns
 * (column-network.ts) are faster, and compared with it. With `reliable`, a link layer stands
 * between a node and its channels: it sends frames, and repeats them until they are acknowledged.
 */

import { BehaviorSubject, map, type Observable, Subject, Subscriber } from 'rxjs';
import type { AnyMachineSnapshot } from 'xstate';
import { badInput, ConclaveError } from '../base/error.js';
import { Channel, type ChannelObserver } from '../channel/channel.js';
import type { Conditions } from '../channel/conditions.js';
import { reliable } from '../embedding/reliable.js';
import type { Incoming, Transport } from '../embedding/transport.js';
import type { Clock } from '../embedding/wall-clock.js';
import { type Host, NodeActor } from '../protocol/actor.js';
import { crashNotices } from '../protocol/crash-notices.js';
import { labelOf, NodeHistory, unlabelled } from '../protocol/history.js';
import type { Command, Json, Message, NodeId, Received, Stimulus } from '../protocol/node.js';
import type { TimerClock } from '../protocol/node-timers.js';
import type { InFlight } from '../protocol/property.js';
import { requireSend } from '../protocol/sends.js';
import type { HostEffect } from '../protocol/step.js';
import { separates } from './faults.js';
import {
  historyAfter,
  type Loads,
  type Network,
  type NetworkListener,
  type NetworkOptions,
  type TakenStep,
} from './network.js';
import type { SimulationOptions } from './options.js';

/** The nodes of a topology and the channels between them. */
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
    const { sameProcess = () => false } = options.protocol.channels;
    if (reliable)
      requireTwoWayLinks(topology.links, (from, to) => topology.link(from, to) !== undefined);
    this.nodes = topology.nodes.map(
      (id, place) => new SimulatedNode(id, place, options, listener, (other) => this.node(other)),
    );
    this.views = this.nodes.map(({ actor }) => actor);
    this.#byId = new Map(this.nodes.map((node) => [node.id, node]));
    const observer: ChannelObserver<Message> = {
      happened: (fault, { from, to }, message) =>
        listener.happened(fault, from, to, reliable ? undefined : unlabelled(message)),
    };
    this.#channels = topology.links.map(({ from, to, delay = 0 }) => {
      const isInside = sameProcess(from, to);
      const cut$ =
        !isInside && partitions.some(({ groups }) => separates(groups, from, to))
          ? this.#cutSwitch(from, to)
          : undefined;
      const channel = new Channel<Message>(from, to, {
        clock,
        random,
        conditions: options.conditions,
        linkDelay: delay,
        sameProcess: isInside,
        observer,
        ...(cut$ ? { cut$ } : {}),
      });
      channel.subscribe(new Receiver(this.node(to), from));
      this.node(from).channels.set(to, channel);
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
class Receiver extends Subscriber<Message> {
  constructor(
    private readonly node: SimulatedNode,
    private readonly from: NodeId,
  ) {
    super();
  }

  override next(message: Message): void {
    this.node.receive(this.from, message);
  }
}

interface ActorOptions extends NetworkOptions {
  /** Whether a reliable link stands between the nodes and the channels. */
  readonly reliable: LinkLayerOptions | undefined;
}

/** One node: its actor, its link layer if any, and its message counts. */
class SimulatedNode implements Host {
  readonly actor: NodeActor;
  readonly clock: TimerClock;
  readonly freezes: boolean;
  /** Its outgoing channels, by receiver. */
  readonly channels = new Map<NodeId, Channel<Message>>();
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
          this.channels.get(to)?.next(frame);
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

  /** Receives what comes out of a channel: a message, or a frame of the reliable link. */
  receive(from: NodeId, message: Message): void {
    if (this.actor.crashed)
      this.listener.happened('drop', from, this.id, this.#links ? undefined : unlabelled(message));
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
      this.channels.get(to)?.next(message);
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
    const channel = this.channels.get(to);
    requireSend(this.options, this.id, { to, message }, channel !== undefined);
    return channel as Channel<Message>; // it is required
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

/** The retransmission timeout and the window of the reliable link. */
type LinkLayerOptions = Exclude<SimulationOptions['reliable'], boolean | undefined>;

/** What a link layer needs of its node. */
interface LinkLayerHost {
  readonly clock: Clock;
  /** Puts a frame on the channel to `to`. */
  readonly transmit: (to: NodeId, frame: Message) => void;
  /** Hands a message to the node. */
  readonly deliver: (from: NodeId, message: Message) => void;
  /** Called with an error that RxJS would report only after the run. */
  readonly failed: (error: unknown) => void;
}

/**
 * One node's `reliable` transport over its simulated channels; a restarted node gets a new
 * incarnation of it.
 */
class LinkLayer {
  #incarnation = 0;
  #frames = new Subject<Incoming>();
  #transport: Transport;

  constructor(
    private readonly self: NodeId,
    private readonly options: LinkLayerOptions,
    private readonly host: LinkLayerHost,
  ) {
    this.#transport = this.#open();
  }

  send(to: NodeId, message: Message): void {
    this.#transport.send(to, message);
  }

  receive(from: NodeId, frame: Message): void {
    this.#frames.next({ from, message: frame });
  }

  close(): void {
    void this.#transport.close();
  }

  reopen(): void {
    this.#frames = new Subject();
    this.#transport = this.#open();
  }

  #open(): Transport {
    const close = async () => {};
    const channels: Transport = {
      self: this.self,
      guarantees: { order: 'any', loss: true, duplication: true },
      received$: this.#frames,
      send: this.host.transmit,
      close,
      [Symbol.asyncDispose]: close,
    };
    const { clock } = this.host;
    const transport = reliable(channels, {
      ...this.options,
      clock,
      incarnation: this.#incarnation++,
      drainFor: 0,
    }); // a node closes it by its crash
    transport.errors$?.subscribe((error) => this.host.failed(error));
    transport.received$.subscribe(({ from, message }) => {
      try {
        this.host.deliver(from, message as Message); // the other end sent what its node sent
      } catch (error) {
        this.host.failed(error);
      }
    });
    return transport;
  }
}

/**
 * @throws {ConclaveError} `bad-topology` for a one-way link: acknowledgements need a channel back.
 */
function requireTwoWayLinks(
  links: readonly { readonly from: NodeId; readonly to: NodeId }[],
  has: (from: NodeId, to: NodeId) => boolean,
): void {
  const oneWay = links.find(({ from, to }) => !has(to, from));
  if (oneWay)
    throw new ConclaveError(
      'bad-topology',
      `A reliable link needs channels both ways, and ${oneWay.from}→${oneWay.to} has none back`,
      'Its acknowledgements need a channel back: take a network whose links go both ways, or, for a protocol that needs a one-way ring, leave out reliable and let its channels lose and duplicate nothing.',
    );
}
