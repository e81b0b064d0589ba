/** A system as the tables of its machines: what a model for another tool is written from. */
import type { LocalState } from '@conclave/core/protocol';
import type { Action, Choice, StepAction, World } from '../worlds/world.js';

export const modelledFaults = ['losses', 'duplications', 'crashes', 'restarts'] as const;

/** A system without time and other faults. Nodes, channels and messages are numbered from 0. */
export interface SystemTables {
  readonly order: 'fifo' | 'any';
  readonly nodes: readonly NodeTable[];
  readonly channels: readonly ChannelTable[];
  /** By number: as a trace prints it. */
  readonly messages: readonly string[];
  readonly budget: Readonly<Record<(typeof modelledFaults)[number], number>>;
  /** Lists of open choices; number 0 is the empty one, the first is that of the start. */
  readonly choices: readonly World['choosing'][];
  readonly asked: number;
  readonly events: readonly EventTable[];
}

export interface NodeTable {
  readonly id: string;
  /** The local states, sorted by their state value: sets of them are often ranges. */
  readonly states: readonly StateEntry[];
  readonly initial: number;
  /** The optional commands that are counted together, and how many the node gets. */
  readonly counters: readonly { readonly name: string; readonly initial: number }[];
  /** The obligatory commands that are given once whenever their condition becomes true. */
  readonly conditions: readonly {
    readonly type: string;
    /** The local states where the condition is true. */
    readonly states: ReadonlySet<number>;
  }[];
}

export interface StateEntry {
  /** The state value: `wanted`, or `client.wanted`. */
  readonly name: string;
  /** What else the local state consists of. */
  readonly detail: string;
  readonly state: LocalState;
}

export interface ChannelTable {
  readonly from: number;
  readonly to: number;
  /** The messages that are ever sent on it. */
  readonly messages: readonly number[];
  /** Those in flight at the start, oldest first. */
  readonly initial: readonly number[];
  /** The most messages that were in flight on it at once. */
  readonly capacity: number;
}

export interface SendEntry {
  readonly channel: number;
  readonly message: number;
}

/** What an event does in one local state. */
export interface RowEntry {
  readonly state: number;
  readonly after: number;
  readonly sends: readonly SendEntry[];
  /** The choices that the node has to make next. */
  readonly asks: readonly ({ readonly node: string } & Choice)[];
}

/** An event of one node, in every local state where the explorer has seen it. */
export interface EventTable {
  readonly type: 'command' | 'deliver' | 'timeout' | 'choose' | 'crash' | 'restart';
  /** As a trace prints it. */
  readonly label: string;
  readonly node: number;
  readonly action: StepAction | Extract<Action, { readonly type: 'crash' }>;
  /** Its fairness class; −1: it need never happen. */
  readonly fair: number;
  /** An optional command: `leadsTo` takes it for unfair. */
  readonly isOptional: boolean;
  /** Of an optional command: the position of its counter. */
  readonly counter?: number;
  /** Of an obligatory command: the position of its condition; absent without one. */
  readonly condition?: number;
  readonly sent?: SendEntry;
  /** Of a choice: the lists of which it answers the first, and what remains to be answered. */
  readonly answers?: readonly { readonly list: number; readonly rest: number }[];
  /** The local states where it is possible; undefined: in all. */
  readonly enabled?: ReadonlySet<number>;
  /** The local states where it fails: there the explorer goes no further. */
  readonly failing: ReadonlySet<number>;
  /** Of these: where it is not handled. */
  readonly unhandled: ReadonlySet<number>;
  /** Whether the node crashes in the middle of the step. */
  readonly crashes?: true;
  readonly rows: readonly RowEntry[];
}
