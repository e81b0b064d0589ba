/** All that looks at a run of a simulation while it happens. */
import { Subject } from 'rxjs';
import type { EventObject } from 'xstate';
import { badInput } from '../base/error.js';
import { type Conditions, delayText } from '../channel/conditions.js';
import { crashNotices } from '../protocol/crash-notices.js';
import {
  type ChannelFault,
  channelFaultRows,
  channelFaults,
  type MessageFate,
  perChannelFault,
} from '../protocol/faults.js';
import type { Message, NodeId } from '../protocol/node.js';
import type { InFlight, NodeView, SystemView } from '../protocol/property.js';
import type { Protocol } from '../protocol/protocol.js';
import type { HostEffect } from '../protocol/step.js';
import type { Topology } from '../topology/topology.js';
import { crashLine, traceHeader, traceLine } from '../trace/recording.js';
import {
  callText,
  headerWith,
  type Trace,
  type TraceEvent,
  type TraceLine,
} from '../trace/trace.js';
import type { VirtualClock } from './clock.js';
import type { Crashes, Interruption } from './crashes.js';
import { ExclusionMeasurement } from './measurement.js';
import { Monitor } from './monitor.js';
import type { Network, NetworkListener, TakenStep } from './network.js';
import type { SimulationOptions } from './options.js';
import type { SimulationResult } from './result.js';
import { ignoring, reactsToTags } from './workload.js';

/**
 * All that looks at a run: counts, properties, measurements, the recorder, the streams, and the
 * application.
 */
export class Observer implements NetworkListener {
  readonly network: Network;
  readonly system: LiveSystem;
  readonly monitor: Monitor;
  readonly exclusion: ExclusionMeasurement;
  readonly recorder: Recorder;
  readonly traffic = new Traffic();
  readonly deliveries = new Subject<InFlight & { readonly time: number }>();
  readonly snapshots = new Subject<NodeView>();
  readonly #ids: readonly NodeId[];
  /** Steps of nodes. */
  steps = 0;
  failure: { readonly error: unknown } | undefined;
  #react: (node: NodeView) => void = ignoring;
  /** Whether a node is in the middle of a step: then properties are not checked. */
  #stepping = false;
  /**
   * Whether steps that leave the tags as they are matter to the application, the properties or the
   * measurement.
   */
  #watchesStates = false;
  /** The node that crashes when its step is over. */
  #last: number | undefined;
  /** The nodes that crash when all have started; undefined once they have. */
  #afterStart: number[] | undefined = [];

  /** @param connect makes the network that is observed. */
  constructor(
    private readonly options: SimulationOptions,
    private readonly clock: VirtualClock,
    private readonly crashes: Crashes,
    connect: (listener: NetworkListener) => Network,
  ) {
    const { protocol, topology, record = false, properties = protocol.properties } = options;
    this.#ids = topology.nodes;
    this.exclusion = new ExclusionMeasurement(topology.nodes, protocol.waiting);
    this.recorder = new Recorder(record, protocol, topology, clock);
    this.network = connect(this);
    this.system = new LiveSystem(this.network, topology.nodes.length);
    this.monitor = new Monitor(protocol, properties, this.system);
  }

  get wantsSteps(): boolean {
    return this.recorder.on || this.monitor.followsSteps;
  }

  /** Calls the application's `react` after each step from now on, where it looks at it. */
  begin(react: (node: NodeView) => void): void {
    this.#react = react;
    const { followsSystem, followsNodes } = this.monitor;
    this.#watchesStates =
      !reactsToTags(react) || followsSystem || followsNodes || this.exclusion.followsStates;
  }

  stepped(event: EventObject | undefined): void {
    this.steps++;
    this.#stepping = true;
    if (!event) return;
    this.monitor.commanded(event.type);
    if (Object.hasOwn(this.options.protocol.commands, event.type))
      this.traffic.commanded(event.type);
  }

  took(node: number, step: TakenStep): void {
    this.recorder.step(this.#id(node), step);
    if (this.monitor.followsSteps) this.monitor.took(this.network.view(node), step);
  }

  crashIn(node: number, effects: readonly HostEffect[]): Interruption | undefined {
    const crash = this.crashes.in(node, effects);
    if (crash !== 'after') return crash;
    this.#last = node;
    return undefined;
  }

  interrupted(node: number, { unsent }: Interruption): void {
    this.#down(node);
    const from = this.#id(node);
    for (const { to, message } of unsent) this.recorder.channel('drop', from, to, message);
  }

  settled(node: number, before: ReadonlySet<string> | undefined, after: ReadonlySet<string>): void {
    this.#stepping = false;
    const isLast = this.#last === node;
    this.#last = undefined;
    if (before !== after || this.#watchesStates || this.system.followsFields)
      this.#changed(node, before, after);
    if (this.snapshots.observed) this.snapshots.next(this.network.view(node));
    if (!isLast) return;
    if (this.#afterStart) this.#afterStart.push(node);
    else this.crash(node);
  }

  /** To be called when all nodes have started. */
  started(): void {
    this.monitor.begin();
    const nodes = this.#afterStart ?? [];
    this.#afterStart = undefined;
    for (const node of nodes) this.crash(node);
  }

  sent({ type }: Message): void {
    this.traffic.sent(type);
    this.monitor.sent(type);
  }

  delivered(from: number, to: number, message: Message): void {
    this.traffic.delivered++;
    if (!this.deliveries.observed) return;
    this.deliveries.next({
      time: this.clock.now(),
      from: this.#id(from),
      to: this.#id(to),
      message,
    });
  }

  happened(fault: ChannelFault, from: NodeId, to: NodeId, message: Message | undefined): void {
    this.traffic.fates[channelFaults[fault].fate]++;
    this.recorder.channel(fault, from, to, message);
    if (fault === 'drop' && message && !this.#stepping) this.monitor.look();
  }

  framed(): void {
    this.traffic.frames++;
  }

  failed(error: unknown): void {
    this.failure ??= { error };
  }

  toggled(from: NodeId, to: NodeId, cut: boolean): void {
    this.recorder.note(to, { kind: cut ? 'cut' : 'heal', from });
  }

  /** Lets `node` crash between two steps, unless it is down. */
  crash(node: number): void {
    if (this.network.isCrashed(node)) return;
    const before = this.network.tagsOf(node);
    this.#down(node);
    this.#changed(node, before, this.network.tagsOf(node));
  }

  #down(node: number): void {
    const { protocol, topology } = this.options;
    for (const { message } of crashNotices(protocol, topology, this.#id(node)))
      this.monitor.sent(message.type);
    this.recorder.crash(this.#id(node));
    this.network.crash(node);
    this.crashes.happened(node);
  }

  complete(): void {
    this.deliveries.complete();
    this.snapshots.complete();
  }

  #changed(
    node: number,
    before: ReadonlySet<string> | undefined,
    after: ReadonlySet<string>,
  ): void {
    const view = () => this.network.view(node);
    this.system.changed(node, before, after);
    this.exclusion.changed(node, after, view, this.clock.now());
    if (after.has('leader') && !before?.has('leader')) this.traffic.elections++;
    this.monitor.look();
    if (this.monitor.followsNodes) this.monitor.changed(view());
    if (this.#react !== ignoring) this.#react(view());
  }

  #id(node: number): NodeId {
    return this.#ids[node] as NodeId; // a place in the topology
  }
}

/** Records the trace of a simulation, where `on`. */
class Recorder {
  readonly #lines: TraceLine[] = [];

  constructor(
    readonly on: boolean,
    private readonly protocol: Protocol,
    private readonly topology: Topology,
    private readonly clock: VirtualClock,
  ) {}

  /** A node's step; a start is a line only where it has effects. */
  step(node: NodeId, { stimulus, before, after, effects }: TakenStep): void {
    if (!this.on || (stimulus.kind === 'start' && effects.length === 0)) return;
    const earlier = before ? { before: before.value } : {};
    this.#lines.push(
      traceLine(this.protocol, {
        time: this.clock.now(),
        node,
        stimulus,
        ...earlier,
        after: after.value,
        effects,
      }),
    );
  }

  /** A fault of a node, or of a channel to it. */
  note(node: NodeId, event: TraceEvent): void {
    if (this.on) this.#lines.push({ time: this.clock.now(), node, event, effects: [] });
  }

  crash(node: NodeId): void {
    if (this.on)
      this.#lines.push({
        time: this.clock.now(),
        ...crashLine(this.protocol, this.topology, node),
      });
  }

  /** A fault of a channel; no message for a frame of the reliable link, which is not recorded. */
  channel(kind: ChannelFault, from: NodeId, to: NodeId, message: Message | undefined): void {
    if (this.on && message)
      this.note(to, { kind, call: callText(this.protocol.messages, message), from });
  }

  trace(seed: number, conditions: Conditions): Trace {
    const { order, delay } = conditions;
    const rates = channelFaultRows.map(
      ({ tolerance }) => `, ${tolerance} ${conditions[tolerance]}`,
    );
    const header = headerWith([
      ...traceHeader(this.protocol, this.topology),
      ['seed', String(seed)],
      ['channels', `order ${order}, delay ${delayText(delay)}${rates.join('')}`],
    ]);
    return { header, lines: this.#lines };
  }
}

/** Counts the messages of a run. */
class Traffic {
  delivered = 0;
  readonly fates: Record<MessageFate, number> = { ...perChannelFault('fate', () => 0) };
  /** With a reliable link: what the channels carried. */
  frames = 0;
  /** How often a node became the leader. */
  elections = 0;
  readonly #sent = new Map<string, { count: number }>();
  readonly #commands = new Map<string, number>();

  commanded(type: string): void {
    this.#commands.set(type, (this.#commands.get(type) ?? 0) + 1);
  }

  sent(type: string): void {
    const counter = this.#sent.get(type);
    if (counter) counter.count++;
    else this.#sent.set(type, { count: 1 });
  }

  figures(
    isReliable: boolean,
  ): Pick<
    SimulationResult,
    'delivered' | 'frames' | 'messages' | 'commands' | 'elections' | MessageFate
  > {
    const { delivered, fates, frames, elections } = this;
    const byType = [...this.#sent].sort(([a], [b]) => (a < b ? -1 : 1));
    const commands = Object.fromEntries([...this.#commands].sort(([a], [b]) => (a < b ? -1 : 1)));
    const messages = Object.fromEntries(byType.map(([type, { count }]) => [type, count]));
    return {
      delivered,
      ...fates,
      ...(isReliable ? { frames } : {}),
      messages,
      commands,
      elections,
    };
  }
}

/** How often each value of one field occurs among the nodes that carry one tag. */
interface Values {
  readonly tag: string;
  readonly field: string;
  readonly counts: Map<unknown, number>;
  /** By place of the node. */
  readonly of: Map<number, unknown>;
}

/**
 * The running system as properties see it. Tags are counted as nodes change, so that a count is
 * cheap.
 */
class LiveSystem implements SystemView {
  /** The places of the nodes that carry a tag. */
  readonly #byTag = new Map<string, Set<number>>();
  readonly #values = new Map<string, Values>();
  readonly #crashed = new Set<number>();

  constructor(
    private readonly network: Network,
    private readonly size: number,
  ) {}

  get nodes(): readonly NodeView[] {
    return this.network.views;
  }

  node(id: NodeId): NodeView {
    const place = this.network.placeOf(id);
    if (place === undefined) throw badInput(`The system has no node '${id}'`);
    return this.network.view(place);
  }

  count(tag: string): number {
    return this.#byTag.get(tag)?.size ?? 0;
  }

  tagged(tag: string): readonly NodeView[] {
    const found = [...(this.#byTag.get(tag) ?? [])];
    if (found.length > 1) found.sort((a, b) => a - b);
    return found.map((node) => this.network.view(node));
  }

  get live(): number {
    return this.size - this.#crashed.size;
  }

  /** Whether {@link changed} is to be called after each step, even if the tags stay. */
  get followsFields(): boolean {
    return this.#values.size > 0;
  }

  distinct(tag: string, field: string): readonly unknown[] {
    const key = `${tag} ${field}`;
    const known = this.#values.get(key);
    if (known) return [...known.counts.keys()];
    const values: Values = { tag, field, counts: new Map(), of: new Map() };
    this.#values.set(key, values);
    for (const [place, node] of this.nodes.entries()) count(values, place, node);
    return [...values.counts.keys()];
  }

  inFlight(type?: string): readonly InFlight[] {
    return [...this.network.inFlight()].filter(
      ({ message }) => type === undefined || message.type === type,
    );
  }

  /** Records a step, a crash or a restart of `node`, which had the tags `before`. */
  changed(node: number, before: ReadonlySet<string> | undefined, after: ReadonlySet<string>): void {
    if (before !== after) this.#retag(node, before, after);
    if (this.network.isCrashed(node)) this.#crashed.add(node);
    else if (this.#crashed.size > 0) this.#crashed.delete(node);
    for (const values of this.#values.values()) count(values, node, this.network.view(node));
  }

  #retag(node: number, before: ReadonlySet<string> | undefined, after: ReadonlySet<string>): void {
    if (before) for (const tag of before) if (!after.has(tag)) this.#byTag.get(tag)?.delete(node);
    for (const tag of after) {
      const nodes = this.#byTag.get(tag) ?? new Set();
      this.#byTag.set(tag, nodes.add(node));
    }
  }
}

/** Counts `node` as it is now, instead of as it was. */
function count({ tag, field, counts, of }: Values, place: number, node: NodeView): void {
  if (of.has(place)) {
    const old = of.get(place);
    const left = (counts.get(old) ?? 1) - 1;
    if (left === 0) counts.delete(old);
    else counts.set(old, left);
    of.delete(place);
  }
  if (!node.tags.has(tag)) return;
  const value = node.context[field];
  of.set(place, value);
  counts.set(value, (counts.get(value) ?? 0) + 1);
}
