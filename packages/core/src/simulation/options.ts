import type { Conditions } from '../channel/conditions.js';
import type { Property } from '../protocol/property.js';
import type { Protocol } from '../protocol/protocol.js';
import type { Topology } from '../topology/topology.js';
import type { Confirm } from './confirmation.js';
import type { Fault } from './faults.js';
import type { LinkLayerOptions } from './link-layer.js';
import type { Until } from './until.js';
import type { Workload } from './workload.js';

export interface SimulationOptions {
  readonly protocol: Protocol;
  readonly topology: Topology;
  /** Default 1. Same options and seed, same run. */
  readonly seed?: number;
  /** Default: fixed delay of 1 ms, FIFO, nothing lost. */
  readonly conditions?: Partial<Conditions>;
  /**
   * How much the clocks of nodes drift: from 0 to below 1, in whole millionths. The timers of each
   * node take longer or shorter by one factor from 1 − drift to 1 + drift, which the seed draws for
   * the node and the run. A reliable link's own timers do not drift. Default 0.
   */
  readonly drift?: number;
  /** Default: the application issues no command. */
  readonly workload?: Workload;
  readonly faults?: readonly Fault[];
  /**
   * Puts a reliable link (see `reliable`) between the nodes and the channels. What the result
   * counts and the trace shows are then the protocol's messages; `frames` counts what the channels
   * carried. Default false.
   */
  readonly reliable?: boolean | LinkLayerOptions;
  /** Where to stop a run that does not become quiescent. */
  readonly until?: Partial<Until>;
  /** Default: the protocol's. */
  readonly properties?: readonly Property[];
  /**
   * Whether the result holds the trace. A violation always has one: without `record`, the run is
   * repeated. Default false.
   */
  readonly record?: boolean;
  /**
   * `compiled`: the nodes run on plans made from their machines; `actors`: each node is an XState
   * actor, each channel an RxJS subject. The run is the same. Default: `compiled` where each
   * machine can be compiled and no reliable link is wanted; the result says which one ran.
   */
  readonly host?: Host;
  /**
   * The compiled steps that XState repeats: one in 1,000, drawn from the seed (`sample`, the
   * default), or `all`. It changes nothing else.
   */
  readonly confirm?: Confirm;
  /** Called now and then with the deliveries so far and the virtual time. */
  readonly onProgress?: (delivered: number, virtualMs: number) => void;
}

/** What runs the nodes of a simulation. */
export type Host = 'compiled' | 'actors';
