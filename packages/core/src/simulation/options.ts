import type { Conditions } from '../channel/conditions.js';
import type { Property } from '../protocol/property.js';
import type { Protocol } from '../protocol/protocol.js';
import type { Topology } from '../topology/topology.js';
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
  /** Default: the application issues no command. */
  readonly workload?: Workload;
  readonly faults?: readonly Fault[];
  /**
   * Puts a reliable link (see `reliable`) between the nodes and the channels. What the result counts and the trace
   * shows are then the protocol's messages; `frames` counts what the channels carried. Default false.
   */
  readonly reliable?: boolean | LinkLayerOptions;
  /** Where to stop a run that does not become quiescent. */
  readonly until?: Partial<Until>;
  /** Default: the protocol's. */
  readonly properties?: readonly Property[];
  /** Whether the result holds the trace. A violation always has one: without `record`, the run is repeated. Default false. */
  readonly record?: boolean;
  /** Called now and then with the deliveries so far and the virtual time. */
  readonly onProgress?: (delivered: number, virtualMs: number) => void;
}
