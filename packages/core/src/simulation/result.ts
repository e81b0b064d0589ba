import type { NodeId } from '../protocol/node.js';
import type { Trace } from '../trace/trace.js';
import type { ExclusionFigures } from './measurement.js';
import type { PropertyReport } from './monitor.js';

/** What a run showed. Times are virtual milliseconds. */
export interface SimulationResult {
  readonly protocol: string;
  readonly topology: string;
  /** How many nodes. */
  readonly nodes: number;
  readonly seed: number;
  readonly virtualMs: number;
  /** Steps of nodes: deliveries, commands, time-outs, starts. */
  readonly steps: number;
  readonly delivered: number;
  readonly lost: number;
  readonly duplicated: number;
  /** With `reliable`: what the channels carried to carry the messages. */
  readonly frames?: number;
  /** Messages sent, by type. */
  readonly messages: Readonly<Record<string, number>>;
  /** Messages sent and received, by node. */
  readonly load: Readonly<Record<NodeId, { readonly sent: number; readonly received: number }>>;
  readonly exclusion: ExclusionFigures;
  /** The one node that is tagged `leader` at the end. */
  readonly leader?: NodeId;
  /** Those that were asked; and where a message was handled by no state or a machine broke the node contract, that this is so. */
  readonly properties: readonly PropertyReport[];
  /** Whether the run came to rest: nothing on its way, no timer armed, no wish to come. Of a perpetual protocol: whether it served all wishes. */
  readonly complete: boolean;
  readonly ended: 'quiescent' | 'served' | 'violation' | 'step limit' | 'time limit' | 'time stands still' | 'interrupted';
  /** The property that was violated first; where it is one of liveness, only the end of the run shows it. */
  readonly violated?: string;
  /** How the run broke the rules that every protocol keeps: what, where, and what to try. The run ends there. */
  readonly fault?: string;
  /** With `record`, and after a violation. */
  readonly trace?: Trace;
}

/** All messages sent in a run. */
export const totalMessages = ({ messages }: Pick<SimulationResult, 'messages'>): number =>
  Object.values(messages).reduce((sum, count) => sum + count, 0);
