import type { Observable, SchedulerLike } from 'rxjs';
import { badInput, ConclaveError } from '../base/error.js';
import {
  freeHeap,
  freeHeapWithoutGarbage,
  megabytes,
  mostFitting,
  type Size,
} from '../base/memory.js';
import { Random } from '../base/random.js';
import type { Receiver } from '../channel/channel.js';
import { type Conditions, conditions, drawDelay } from '../channel/conditions.js';
import { simulationOptions } from '../options/simulation.js';
import { requireTopology } from '../protocol/check.js';
import { checkCosts, checkProperties } from '../protocol/check-properties.js';
import { examplesOf, nodesAccepting } from '../protocol/commands.js';
import { requireReports } from '../protocol/crash-notices.js';
import { perChannelFault } from '../protocol/faults.js';
import { breaksRules } from '../protocol/handles.js';
import type { NodeId } from '../protocol/node.js';
import type { InFlight, NodeView, SystemView } from '../protocol/property.js';
import { checkOptions } from '../schema/check.js';
import { shown, type Topology } from '../topology/topology.js';
import type { Trace } from '../trace/trace.js';
import { VirtualClock } from './clock.js';
import { Crashes } from './crashes.js';
import { checkFaults, planFaults } from './faults.js';
import { type ChosenHost, hostFor, networkOf } from './host.js';
import type { Network } from './network.js';
import { Observer } from './observer.js';
import type { Host, SimulationOptions } from './options.js';
import { resultOf } from './outcome.js';
import type { SimulationResult } from './result.js';
import { Limits, type Until, untilFor } from './until.js';
import { type Application, idle } from './workload.js';

/** Contexts and messages of larger networks are not frozen: it takes time. */
const mostFrozen = 100;
const progressEvery = 65_536;

/** Which faults of channels may happen, by their names in a budget. */
const faultsOf = (conditions: Partial<Conditions>) =>
  perChannelFault('count', ({ tolerance }) => (conditions[tolerance] ?? 0) > 0);

/**
 * Runs a protocol on a virtual network until it becomes quiescent.
 *
 * An unhandled message, or a machine that breaks the node contract, is a violation like any other:
 * see {@link SimulationResult.fault}.
 *
 * @throws {ConclaveError} `bad-topology`, `bad-input`.
 * @example const { messages } = simulate({ protocol, topology: ring(8), workload: oneShot({ type:
 * 'elect' }), seed: 7 });
 */
export function simulate(options: SimulationOptions): SimulationResult {
  return new Simulation(options).run();
}

/** A simulation to be watched while it runs; {@link simulate} where the result is enough. */
export class Simulation {
  readonly #clock = new VirtualClock();
  readonly #host: ChosenHost;
  readonly #observer: Observer;
  readonly #crashes: Crashes;
  #conditions: Conditions;
  #cut: ReturnType<Limits['reached']>;
  #ran = false;
  /** How many planned commands and faults are still to come. */
  #planned = 0;

  constructor(private readonly options: SimulationOptions) {
    checkOptions('simulate', simulationOptions, options);
    const { protocol, topology, seed = 1, faults = [], reliable = false, drift = 0 } = options;
    requireTopology(protocol, topology);
    this.#host = hostFor(options);
    requireMemory(topology, this.#host.host);
    checkFaults(faults, topology);
    this.#conditions = conditions(options.conditions);
    requireReports(protocol, {
      ...faultsOf(this.#conditions),
      'such conditions later': faults.some(
        (fault) =>
          fault.kind === 'conditions' && Object.values(faultsOf(fault.change)).some(Boolean),
      ),
      'a partition': faults.some(({ kind }) => kind === 'partition'),
      'a reliable link, which forgets what a crashed node has sent': Boolean(reliable),
    });
    const properties = options.properties ?? protocol.properties;
    const random = new Random(seed);
    const parts = {
      protocol,
      topology,
      freezes: topology.nodes.length <= mostFrozen,
      clock: this.#clock,
      durationOf: durations(topology.nodes.length, drift, random),
      random: random.fork('channels'),
      choices: random.fork('choices'),
      conditions: this.#conditions,
      partitions: faults.filter((fault) => fault.kind === 'partition'),
    };
    const order = () => (reliable ? 'fifo' : this.#conditions.order);
    this.#crashes = new Crashes(random.fork('crashes'), order, (node, after) =>
      this.#plan(() => this.#network.restart(node), after),
    );
    this.#observer = new Observer(options, this.#clock, this.#crashes, (listener) =>
      networkOf(this.#host.host, options, parts, random, listener),
    );
    checkCosts(protocol, properties);
    if (options.properties) checkProperties(protocol, properties, topology);
    planFaults(faults, random.fork('faults'), {
      plan: (act, ms) => this.#plan(act, ms),
      change: (change) => this.change(change),
      crash: (id, restartAfter, isInside) => this.#crash(this.#placeOf(id), restartAfter, isInside),
      partition: (groups, cut) => this.#network.partition(groups, cut),
    });
    this.#observer.begin((options.workload ?? idle)(this.#application(random.fork('workload'))));
  }

  /** Its virtual time, in milliseconds; RxJS takes it as a scheduler. */
  get clock(): SchedulerLike {
    return this.#clock;
  }

  /** The running system, as properties see it. */
  get system(): SystemView {
    return this.#observer.system;
  }

  /** Each message, when it arrives. */
  get messages$(): Observable<InFlight & { readonly time: number }> {
    return this.#observer.deliveries.asObservable();
  }

  /** Each node, after each of its steps. */
  get snapshots$(): Observable<NodeView> {
    return this.#observer.snapshots.asObservable();
  }

  /** Changes what the channels do from now on. */
  change(change: Partial<Conditions>): void {
    this.#conditions = conditions({ ...this.#conditions, ...change });
    requireReports(this.options.protocol, faultsOf(this.#conditions));
    this.#network.change(this.#conditions);
  }

  /** Runs to the end; once. @throws {ConclaveError} `bad-input`. */
  run(): SimulationResult {
    if (this.#ran) throw badInput('This simulation has run', 'Make a new one.');
    this.#ran = true;
    const until = untilFor(this.options.protocol, this.options.topology, this.options.until);
    try {
      return this.#result(this.#run(until));
    } finally {
      this.#network.stop();
      this.#observer.complete();
    }
  }

  /** Runs until the end; returns the error where a machine broke the node contract. */
  #run(until: Until): ConclaveError | undefined {
    const observer = this.#observer;
    try {
      this.#network.start();
      observer.started();
      const limits = new Limits(until);
      for (let calls = 1; this.#goesOn(); calls++) {
        this.#cut = limits.reached(observer.steps, this.#clock.now());
        if (this.#cut || !this.#clock.step(until.time)) break;
        if (observer.failure) throw observer.failure.error;
        if (calls % progressEvery === 0)
          this.options.onProgress?.(observer.traffic.delivered, this.#clock.now());
      }
      return undefined;
    } catch (error) {
      if (breaksRules(error)) return error;
      throw error;
    }
  }

  /** Whether a perpetual protocol has nothing left to do. */
  get #served(): boolean {
    return (
      this.options.protocol.perpetual === true &&
      this.#planned === 0 &&
      this.#observer.exclusion.waiting === 0
    );
  }

  get #network(): Network {
    return this.#observer.network;
  }

  /** Calls `act` after `ms`; the run does not end before. */
  #plan(act: () => void, ms: number): void {
    this.#planned++;
    this.#clock.deliverAt(this.#clock.now() + Math.max(0, ms), this.#due, act);
  }

  /** Takes what was planned, at its time. */
  readonly #due: Receiver<() => void> = {
    arrive: (act) => {
      this.#planned--;
      act();
    },
  };

  #crash(node: number, restartAfter: number | undefined, isInside: boolean): void {
    if (this.#network.isCrashed(node)) return;
    this.#crashes.expect(node, restartAfter);
    if (!isInside) this.#observer.crash(node);
  }

  /**
   * Whether anything is still to come. Where only crashes are, of nodes that take no step, the
   * first one happens now.
   */
  #goesOn(): boolean {
    const { monitor } = this.#observer;
    for (let isOver = this.#isOver; isOver && !monitor.violated; isOver = this.#isOver) {
      const node = this.#crashes.longestDue;
      if (node === undefined) return false;
      this.#observer.crash(node);
    }
    return !monitor.violated;
  }

  /** Whether no event is left. */
  get #isOver(): boolean {
    return this.#clock.pending === 0 || this.#served;
  }

  #placeOf(id: NodeId): number {
    const place = this.#network.placeOf(id);
    if (place === undefined)
      throw badInput(`The network '${this.options.topology.spec}' has no node '${id}'`);
    return place;
  }

  #application(random: Random): Application {
    const network = this.#network;
    const { protocol, topology } = this.options;
    return {
      get nodes() {
        return network.views;
      },
      random,
      examples: (type) => examplesOf(protocol, type),
      nodesAccepting: (type) => nodesAccepting(protocol, topology, type),
      later: (delay, act) => this.#plan(act, drawDelay(delay, 0, random)),
      tell: (id, command) => network.tell(this.#placeOf(id), command),
    };
  }

  #result(broken: ConclaveError | undefined): SimulationResult {
    const ended =
      this.#clock.pending === 0
        ? 'quiescent'
        : this.#served
          ? 'served'
          : (this.#cut ?? 'time limit');
    return resultOf(
      this.options,
      { broken, ended, time: this.#clock.now(), chosen: this.#host },
      this.#observer,
      () => this.#again(),
    );
  }

  /** The trace of a run that was not recorded: the run is repeated, without `stop`. */
  #again(): Trace | undefined {
    const { stop: _, ...until } = this.options.until ?? {};
    return simulate({ ...this.options, until, record: true }).trace;
  }
}

/**
 * The heap that nodes and links need, in bytes, with messages in flight. Measured: on compiled
 * machines, a ring of a million nodes in an election takes 1.05 kB a node with its link, and a wave
 * over 1.4 million links 180 B a link; as an actor, a node takes 5 kB at first and up to 22 kB in
 * an election of 100,000, and a channel 0.9 kB.
 */
const bytes: Readonly<Record<Host, (size: Size) => number>> = {
  compiled: ({ nodes, links }) => 1_000 * nodes + 200 * links,
  actors: ({ nodes, links }) => 20_000 * nodes + 1_100 * links,
};

/**
 * @throws {ConclaveError} `bad-topology` for a network whose simulation does not fit into the heap;
 * says how many nodes fit.
 */
function requireMemory({ spec, nodes, links }: Topology, host: Host): void {
  const bytesOf = bytes[host];
  const size = { nodes: nodes.length, links: links.length };
  if (bytesOf(size) <= freeHeap()) return;
  const free = freeHeapWithoutGarbage();
  if (bytesOf(size) <= free) return;
  throw new ConclaveError(
    'bad-topology',
    `To simulate '${shown(spec)}' takes about ${megabytes(bytesOf(size))}, and the heap has ${megabytes(Math.max(0, free))}`,
    `About ${mostFitting(size, bytesOf, free)} nodes of this shape would fit; node --max-old-space-size enlarges the heap.`,
  );
}

/**
 * How many milliseconds a timer of `delay` takes on the clock of a node, which drifts by at most
 * `drift`. `random`: that of the whole run.
 */
function durations(
  nodes: number,
  drift: number,
  random: Random,
): (node: number, delay: number) => number {
  if (drift === 0) return (_node, delay) => delay;
  const drawn = random.fork('clocks');
  const factors = Float64Array.from({ length: nodes }, () => 1 + drift * (2 * drawn.unit() - 1));
  return (node, delay) => delay * (factors[node] as number); // a place in the topology
}
