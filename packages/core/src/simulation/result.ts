import type { ConclaveError } from '../base/error.js';
import type { MessageFate } from '../protocol/faults.js';
import type { NodeId } from '../protocol/node.js';
import type { Property, Verdict } from '../protocol/property.js';
import type { Protocol } from '../protocol/protocol.js';
import type { Trace } from '../trace/trace.js';

/** The result of a run. Times are virtual milliseconds. */
export interface SimulationResult extends Readonly<Record<MessageFate, number>> {
  readonly protocol: string;
  readonly topology: string;
  /** How many nodes. */
  readonly nodes: number;
  readonly seed: number;
  /**
   * What ran the nodes: compiled machines, or XState actors over RxJS channels. The run is the
   * same.
   */
  readonly host: 'compiled' | 'actors';
  /** With `actors`: why. */
  readonly hostReason?: string;
  /** With `compiled`: how many steps XState has repeated, with the same outcome. */
  readonly confirmed?: number;
  readonly virtualMs: number;
  /** Steps of nodes: deliveries, commands, time-outs, starts. */
  readonly steps: number;
  readonly delivered: number;
  /** With `reliable`: the frames that the channels carried. */
  readonly frames?: number;
  /** Messages sent, by type. */
  readonly messages: Readonly<Record<string, number>>;
  /** Commands that nodes took, by type. */
  readonly commands: Readonly<Record<string, number>>;
  /** How often a node became the leader: was tagged `leader` and had not been before. */
  readonly elections: number;
  /** Messages sent and received, per node; made on first use. */
  readonly load: Readonly<Record<NodeId, { readonly sent: number; readonly received: number }>>;
  /** How mutual exclusion went. */
  readonly exclusion: {
    /** The stays in the critical section. `leftAt` is absent where a node has not left at the end. */
    readonly entries: readonly {
      readonly node: NodeId;
      readonly requestedAt: number;
      readonly enteredAt: number;
      readonly leftAt?: number;
    }[];
    /** From the request to the entry, in ms; undefined without entries. */
    readonly meanWait: number | undefined;
    /**
     * From the exit of one node to the next entry while a node waits, in ms; undefined where no
     * node waited at an exit.
     */
    readonly synchronisationDelay: number | undefined;
    /**
     * Entries overtaken by an entry with a later request. 0: all nodes entered in the order of
     * their requests.
     */
    readonly overtaken: number;
  };
  /** The one node that is tagged `leader` at the end. */
  readonly leader?: NodeId;
  /**
   * The checked properties; and where a message was unhandled or a machine broke the node contract,
   * a violated property that says so.
   */
  readonly properties: readonly {
    readonly name: string;
    readonly kind: Property['kind'];
    readonly verdict: Verdict;
  }[];
  /**
   * Whether the run became quiescent: no message in flight, no timer armed, no command to come. For
   * a perpetual protocol: whether it served all commands.
   */
  readonly complete: boolean;
  readonly ended:
    | 'quiescent'
    | 'served'
    | 'violation'
    | 'step limit'
    | 'time limit'
    | 'time stands still'
    | 'interrupted';
  /**
   * The property that was violated first; where it is one of liveness, only the end of the run
   * shows it.
   */
  readonly violated?: string;
  /** How the run broke the node contract: what, where, and what to try. The run ends there. */
  readonly fault?: string;
  /** With `record`, and after a violation. */
  readonly trace?: Trace;
}

/** All messages sent in a run. */
export const totalMessages = ({ messages }: Pick<SimulationResult, 'messages'>): number =>
  Object.values(messages).reduce((sum, count) => sum + count, 0);

/**
 * What a run has cost by the terms of its protocol: its messages that count, per entry, election or
 * command. Undefined where the protocol declares no cost, or none of these was in the run.
 */
export function measuredCost({ cost }: Protocol, result: SimulationResult): number | undefined {
  if (!cost) return undefined;
  const { of, per, command } = cost;
  const { messages, commands, exclusion, elections } = result;
  const counted = of
    ? of.reduce((sum, type) => sum + (messages[type] ?? 0), 0)
    : totalMessages(result);
  // Where no node is tagged as the leader, the run is one election.
  const counts = { entry: exclusion.entries.length, election: elections || 1 };
  const units =
    command !== undefined
      ? commands[command]
      : per === 'entry' || per === 'election'
        ? counts[per]
        : 1;
  return units ? counted / units : undefined;
}

/** An error with its place, as sentences. */
export const faultText = ({ what, cure }: ConclaveError, where: string): string =>
  `${what} (${where}).${cure === '' ? '' : ` ${cure}`}`;
