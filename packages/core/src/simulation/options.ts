import type { Conditions } from '../channel/conditions.js';
import type { Property } from '../protocol/property.js';
import type { Protocol } from '../protocol/protocol.js';
import type { Topology } from '../topology/topology.js';
import type { Fault } from './faults.js';
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
  readonly reliable?: boolean | { readonly retransmitAfter?: number; readonly window?: number };
  /** Where to stop a run that does not become quiescent. */
  readonly until?: {
    /**
     * Steps of nodes. Default 10 million; or 100 for each node and link, or 4 times what the
     * formula of the protocol says for one command a node, if one of these is more.
     */
    readonly steps?: number;
    /** Virtual milliseconds. Default: no limit. */
    readonly time?: number;
    /**
     * Steps of nodes at one moment of virtual time, which does not advance where delays are 0.
     * Default 100,000, or 100 per link if that is more.
     */
    readonly stepsAtOnce?: number;
    /** Called now and then; true ends the run as `interrupted`. */
    readonly stop?: () => boolean;
  };
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
  readonly host?: 'compiled' | 'actors';
  /**
   * The compiled steps that XState repeats: one in 1,000, drawn from the seed (`sample`, the
   * default), or `all`. It changes nothing else.
   */
  readonly confirm?: 'sample' | 'all';
  /** Called now and then with the deliveries so far and the virtual time. */
  readonly onProgress?: (delivered: number, virtualMs: number) => void;
}

/** What runs the nodes of a simulation. */
export type Host = NonNullable<SimulationOptions['host']>;
