import { type Observable, Subject } from 'rxjs';
import type { AnyMachineSnapshot } from 'xstate';
import { type Conditions, conditions, drawDelay } from '../channel/conditions.js';
import { Random } from '../channel/random.js';
import { checkOptions } from '../options/check.js';
import { simulationOptions } from '../options/simulation.js';
import type { NodeActor, Stimulus } from '../protocol/actor.js';
import { requireTopology } from '../protocol/check.js';
import { checkProperties } from '../protocol/check-properties.js';
import { checkCosts } from '../protocol/cost.js';
import { requireReports } from '../protocol/crash-notice.js';
import { badInput, type ConclaveError } from '../protocol/error.js';
import type { Json, Message, NodeId } from '../protocol/node.js';
import { nodesAccepting } from '../protocol/nodes-accepting.js';
import { examplesOf } from '../protocol/optional-commands.js';
import type { NodeView } from '../protocol/property.js';
import type { HostEffect } from '../protocol/step.js';
import { breaksRules, handled } from '../protocol/unhandled-messages.js';
import { waitingOf } from '../protocol/waiting.js';
import type { Trace } from '../trace/trace.js';
import { VirtualClock } from './clock.js';
import { checkFaults, planFaults } from './faults.js';
import { ExclusionMeasurement } from './measurement.js';
import { requireMemory } from './memory-limit.js';
import { Monitor } from './monitor.js';
import { Network } from './network.js';
import type { SimulationOptions } from './options.js';
import { Recorder } from './recorder.js';
import { type Delivery, faultText, type SimulationResult } from './result.js';
import type { NetworkListener, SimulatedNode } from './simulated-node.js';
import { LiveSystem } from './system.js';
import { Traffic } from './traffic.js';
import { Limits, type Until, untilFor } from './until.js';
import { type Application, idle } from './workload.js';

/** Contexts and messages of larger networks are not frozen: it takes time. */
const mostFrozen = 100;
const progressEvery = 65_536;

const lossesOf = ({ loss = 0, duplication = 0 }: Partial<Conditions>) => ({ losses: loss > 0, duplications: duplication > 0 });

/**
 * Runs a protocol on a virtual network until it becomes quiescent.
 *
 * An unhandled message, or a machine that breaks the node contract, is a violation like any other: see {@link SimulationResult.fault}.
 *
 * @throws {ConclaveError} `bad-topology`, `bad-input`.
 * @example const { messages } = simulate({ protocol, topology: ring(8), workload: oneShot({ type: 'elect' }), seed: 7 });
 */
export function simulate(options: SimulationOptions): SimulationResult {
  return new Simulation(options).run();
}

/** A simulation to be watched while it runs; {@link simulate} where the result is enough. */
export class Simulation implements NetworkListener {
  readonly clock = new VirtualClock();
  readonly system: LiveSystem;
  readonly #network: Network;
  readonly #deliveries = new Subject<Delivery>();
  readonly #snapshots = new Subject<NodeView>();
  readonly #recorder: Recorder;
  readonly #monitor: Monitor;
  readonly #exclusion: ExclusionMeasurement;
  readonly #react: (node: NodeView) => void;
  readonly #traffic = new Traffic();
  #conditions: Conditions;
  #steps = 0;
  #cut: ReturnType<Limits['reached']>;
  #failure: { readonly error: unknown } | undefined;
  #ran = false;
  /** How many planned commands and faults are still to come. */
  #planned = 0;
  /** Whether a node is in the middle of a step: then properties are not checked. */
  #stepping = false;

  constructor(private readonly options: SimulationOptions) {
    checkOptions('simulate', simulationOptions, options);
    const { protocol, topology, seed = 1, faults = [], reliable = false } = options;
    requireTopology(protocol, topology);
    requireMemory(topology);
    checkFaults(faults, topology);
    this.#conditions = conditions(options.conditions);
    requireReports(protocol, {
      ...lossesOf(this.#conditions),
      'such conditions later': faults.some((fault) => fault.kind === 'conditions' && Object.values(lossesOf(fault.change)).some(Boolean)),
      'a partition': faults.some(({ kind }) => kind === 'partition'),
      'a reliable link, which forgets what a crashed node has sent': Boolean(reliable),
    });
    this.#exclusion = new ExclusionMeasurement(waitingOf(protocol) ?? (() => false));
    this.#recorder = new Recorder(options.record ?? false, protocol, topology, this.clock);
    const random = new Random(seed);
    this.#network = new Network(
      {
        protocol,
        topology,
        freezes: topology.nodes.length <= mostFrozen,
        clock: this.clock,
        random: random.fork('channels'),
        choices: random.fork('choices'),
        conditions: this.#conditions,
        reliable: reliable === true ? {} : reliable || undefined,
        partitions: faults.filter((fault) => fault.kind === 'partition'),
      },
      this,
    );
    const actors = this.#network.nodes.map(({ actor }) => actor);
    this.system = new LiveSystem(actors, () => this.#network.inFlight());
    const properties = options.properties ?? protocol.properties;
    checkCosts(protocol, properties);
    if (options.properties) checkProperties(protocol, properties, topology);
    this.#monitor = new Monitor(properties, this.system);
    planFaults(faults, random.fork('faults'), {
      plan: (act, ms) => this.#plan(act, ms),
      change: (change) => this.change(change),
      crash: (node, restartAfter) => this.#crash(this.#network.node(node), restartAfter),
      partition: (groups, cut) => this.#network.partition(groups, cut),
    });
    this.#react = (options.workload ?? idle)(this.#application(actors, random.fork('workload')));
  }

  /** Each delivery, as it happens. */
  get messages$(): Observable<Delivery> {
    return this.#deliveries.asObservable();
  }

  /** Each node, after each of its steps. */
  get snapshots$(): Observable<NodeView> {
    return this.#snapshots.asObservable();
  }

  /** Changes what the channels do from now on. */
  change(change: Partial<Conditions>): void {
    this.#conditions = conditions({ ...this.#conditions, ...change });
    requireReports(this.options.protocol, lossesOf(this.#conditions));
    this.#network.change(this.#conditions);
  }

  /** Runs to the end; once. @throws {ConclaveError} `bad-input`. */
  run(): SimulationResult {
    if (this.#ran) throw badInput('This simulation has run', 'Make a new one.');
    this.#ran = true;
    const until = untilFor(this.options.topology, this.options.until);
    try {
      return this.#result(this.#run(until));
    } finally {
      this.#network.stop();
      this.#deliveries.complete();
      this.#snapshots.complete();
    }
  }

  /** Runs until the end; returns the error where a machine broke the node contract. */
  #run(until: Until): ConclaveError | undefined {
    try {
      for (const { actor } of this.#network.nodes) actor.start();
      this.#monitor.begin(this.system.nodes);
      const limits = new Limits(until);
      for (let calls = 1; !this.#monitor.violated && !this.#served; calls++) {
        this.#cut = limits.reached(this.#steps, this.clock.now());
        if (this.#cut || this.clock.pending === 0 || !this.clock.step(until.time)) break;
        if (this.#failure) throw this.#failure.error;
        if (calls % progressEvery === 0) this.options.onProgress?.(this.#traffic.delivered, this.clock.now());
      }
      return undefined;
    } catch (error) {
      if (breaksRules(error)) return error;
      throw error;
    }
  }

  /** Whether a perpetual protocol has nothing left to do. */
  get #served(): boolean {
    return this.options.protocol.perpetual === true && this.#planned === 0 && this.#exclusion.waiting === 0;
  }

  /** Calls `act` after `ms`; the run does not end before. */
  #plan(act: () => void, ms: number): void {
    this.#planned++;
    this.clock.setTimeout(() => {
      this.#planned--;
      act();
    }, ms);
  }

  stepped(
    actor: NodeActor,
    stimulus: Stimulus,
    before: AnyMachineSnapshot | undefined,
    effects: readonly HostEffect[],
    past: Json | undefined,
  ): void {
    this.#steps++;
    this.#stepping = true;
    this.#recorder.step(actor, stimulus, before, effects);
    if (stimulus.kind === 'event') this.#monitor.commanded(stimulus.event.type);
    if (before && this.#monitor.wantsSteps) this.#monitor.took(this.options.protocol, actor, { stimulus, before, past, effects });
  }

  settled(actor: NodeActor, before: AnyMachineSnapshot | undefined): void {
    this.#stepping = false;
    this.#changed(actor, before?.value === actor.value ? actor.tags : before?.tags);
    if (this.#snapshots.observed) this.#snapshots.next(actor);
  }

  sent(_from: NodeId, _to: NodeId, message: Message): void {
    this.#traffic.sent(message.type);
    this.#monitor.sent(message.type);
  }

  delivered(from: NodeId, to: NodeId, message: Message): void {
    this.#traffic.delivered++;
    if (this.#deliveries.observed) this.#deliveries.next({ time: this.clock.now(), from, to, message });
  }

  lost(from: NodeId, to: NodeId, message: Message | undefined): void {
    this.#traffic.lost++;
    this.#recorder.channel('drop', from, to, message);
    if (message && !this.#stepping) this.#monitor.look();
  }

  duplicated(from: NodeId, to: NodeId, message: Message | undefined): void {
    this.#traffic.duplicated++;
    this.#recorder.channel('duplicate', from, to, message);
  }

  framed(): void {
    this.#traffic.frames++;
  }

  failed(error: unknown): void {
    this.#failure ??= { error };
  }

  toggled(from: NodeId, to: NodeId, cut: boolean): void {
    this.#recorder.note(to, { kind: cut ? 'cut' : 'heal', from });
  }

  #changed(actor: NodeActor, before: ReadonlySet<string> | undefined): void {
    this.system.changed(actor, before);
    this.#exclusion.changed(actor, this.clock.now());
    this.#monitor.step(actor);
    this.#react(actor);
  }

  #crash(node: SimulatedNode, restartAfter: number | undefined): void {
    const { actor, id } = node;
    if (actor.crashed) return;
    this.#recorder.crash(id);
    const { tags } = actor;
    node.crash();
    this.#changed(actor, tags);
    if (restartAfter === undefined) return;
    this.#plan(() => node.restart(), restartAfter);
  }

  #application(nodes: readonly NodeActor[], random: Random): Application {
    return {
      nodes,
      random,
      examples: (type) => examplesOf(this.options.protocol, type),
      nodesAccepting: (type) => nodesAccepting(this.options.protocol, this.options.topology, type),
      later: (delay, act) => this.#plan(act, drawDelay(delay, 0, random)),
      tell: (id, command) => {
        const { actor } = this.#network.node(id);
        if (!actor.crashed) actor.receive(command);
      },
    };
  }

  #result(broken: ConclaveError | undefined): SimulationResult {
    const { protocol, topology, seed = 1, record } = this.options;
    const fault = broken && faultText(broken, `at ${this.clock.now().toFixed(3)} ms, seed ${seed}`);
    const stopped = fault !== undefined || this.#monitor.violated !== undefined;
    const complete = !stopped && (this.clock.pending === 0 || this.#served);
    const rules = fault === undefined ? [] : [{ name: handled, kind: 'always', verdict: 'violated' } as const];
    const properties = [...this.#monitor.finish(complete), ...rules];
    const violated = properties.find(({ verdict }) => verdict === 'violated');
    const [leader, ...rivals] = this.system.tagged('leader');
    const trace = record ? this.#trace(fault) : violated ? this.#again() : undefined;
    return {
      protocol: protocol.name,
      topology: topology.spec,
      nodes: topology.nodes.length,
      seed,
      virtualMs: this.clock.now(),
      steps: this.#steps,
      ...this.#traffic.figures(Boolean(this.options.reliable)),
      load: Object.fromEntries(this.#network.nodes.map(({ id, sent, received }) => [id, { sent, received }])),
      exclusion: this.#exclusion.figures(),
      ...(leader && rivals.length === 0 ? { leader: leader.id } : {}),
      properties,
      complete,
      ended: stopped ? 'violation' : complete ? (this.clock.pending === 0 ? 'quiescent' : 'served') : (this.#cut ?? 'time limit'),
      ...(violated ? { violated: violated.name } : {}),
      ...(fault === undefined ? {} : { fault }),
      ...(trace ? { trace } : {}),
    };
  }

  /** The trace of a run that was not recorded: the run is repeated, without `stop`. */
  #again(): Trace | undefined {
    const { stop: _, ...until } = this.options.until ?? {};
    return simulate({ ...this.options, until, record: true }).trace;
  }

  #trace(fault: string | undefined): Trace {
    const { header, lines } = this.#recorder.trace(this.options.seed ?? 1, conditions(this.options.conditions));
    return { header: fault === undefined ? header : new Map([...header, ['fault', fault]]), lines };
  }
}
