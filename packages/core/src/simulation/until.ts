import { badInput } from '../base/error.js';
import type { Protocol } from '../protocol/protocol.js';
import type { Topology } from '../topology/topology.js';
import type { SimulationOptions } from './options.js';

/** Where a run ends that does not become quiescent by itself. */
export type Until = Required<Omit<Given, 'stop'>> & Pick<Given, 'stop'>;
type Given = NonNullable<SimulationOptions['until']>;

/**
 * `until` with the defaults for this protocol on this network.
 * @throws {ConclaveError} `bad-input` for a limit that is no number of steps.
 */
export function untilFor(protocol: Protocol, topology: Topology, until: Given = {}): Until {
  const all = {
    time: Infinity,
    stepsAtOnce: Math.max(100_000, 100 * topology.links.length),
    ...until,
    steps: until.steps ?? defaultSteps(protocol, topology),
  };
  if (Number.isInteger(all.stepsAtOnce) && all.stepsAtOnce > 0) return all;
  throw badInput(
    `until.stepsAtOnce ${all.stepsAtOnce} is no number of steps`,
    'Give a whole number, 1 or more.',
  );
}

/** How many calls of the clock pass between two calls of `stop`. */
const stopEvery = 1024;

/** Watches the limits of a run, except for the time limit, which the clock keeps. */
export class Limits {
  #calls = 0;
  #time = 0;
  #stepsBefore = 0;

  constructor(private readonly until: Until) {}

  /**
   * The limit that the run has reached after `steps` steps, at `time`. Called before each call of
   * the clock.
   */
  reached(
    steps: number,
    time: number,
  ): 'step limit' | 'time stands still' | 'interrupted' | undefined {
    this.#calls++;
    if (time !== this.#time) {
      this.#time = time;
      this.#stepsBefore = steps;
    }
    if (steps >= this.until.steps) return 'step limit';
    if (steps - this.#stepsBefore > this.until.stepsAtOnce) return 'time stands still';
    return this.#calls % stopEvery === 0 && this.until.stop?.() === true
      ? 'interrupted'
      : undefined;
  }
}

/**
 * How many steps a run without faults takes by the formula of its protocol, on average where it
 * says that, otherwise at most: each node starts, gets `commands` commands, and each message is
 * received. Undefined without a formula, for one without a bound or of a period, and on a network
 * that the protocol does not take.
 */
export function expectedSteps(
  { cost, topology: needed }: Protocol,
  topology: Topology,
  commands = 1,
): number | undefined {
  if (!cost || cost.per === 'period' || needed.refuses(topology)) return undefined;
  const nodes = topology.nodes.length;
  const messages = cost.average?.(nodes) ?? cost.messages(nodes, topology).most;
  const isOnce = cost.command === undefined && ['election', 'wave', 'run'].includes(cost.per);
  const steps = nodes * (1 + 2 * commands) + messages * (isOnce ? 1 : nodes * commands);
  return Number.isFinite(steps) ? Math.ceil(steps) : undefined;
}

/** The least default, and how many steps it allows for each node and for each link. */
const least = 10_000_000;
const forEach = 100;
/** Faults, a bad order of ids, and what a formula leaves out: that many times what it says. */
const reserve = 4;

/**
 * The steps after which a run ends by default that does not become quiescent: enough for a network
 * of this size, by the formula of the protocol where it has one. `commands`: how many each node
 * gets.
 */
export function defaultSteps(protocol: Protocol, topology: Topology, commands = 1): number {
  const { nodes, links } = topology;
  return Math.max(
    least,
    forEach * (nodes.length + links.length),
    reserve * (expectedSteps(protocol, topology, commands) ?? 0),
  );
}
