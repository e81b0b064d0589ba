import { Subject } from 'rxjs';
import type { EventObject } from 'xstate';
import { crashNotices } from '../protocol/crash-notice.js';
import type { Message, NodeId } from '../protocol/node.js';
import type { InFlight, NodeView } from '../protocol/property.js';
import type { HostEffect } from '../protocol/step.js';
import type { VirtualClock } from './clock.js';
import type { Crashes, Interruption } from './crashes.js';
import { ExclusionMeasurement } from './measurement.js';
import { Monitor } from './monitor.js';
import type { Network, NetworkListener, TakenStep } from './network.js';
import type { SimulationOptions } from './options.js';
import { Recorder } from './recorder.js';
import { LiveSystem } from './system.js';
import { Traffic } from './traffic.js';
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

  lost(from: NodeId, to: NodeId, message: Message | undefined): void {
    this.traffic.lost++;
    this.recorder.channel('drop', from, to, message);
    if (message && !this.#stepping) this.monitor.look();
  }

  duplicated(from: NodeId, to: NodeId, message: Message | undefined): void {
    this.traffic.duplicated++;
    this.recorder.channel('duplicate', from, to, message);
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
