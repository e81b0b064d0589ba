/**
 * What can go wrong beside the nodes. A fault is one row of {@link kinds}, by the name under which a
 * budget counts it. Whoever lists faults, counts them, names them, prints or reads them asks this
 * table: schemas, traces, budgets, the command line, the studio.
 *
 * A fault of channels puts something else in place of a message in flight:
 *
 *     drop         m  →
 *     duplicate    m  →  m m
 *
 * That is all the explorer, a trace and its replay need to know of it. A channel of the simulation
 * decides when it is sent: channel.ts, and the same in columns. An embedded node meets the faults of
 * its medium; those of a test are methods of the network in memory. Tests compare them all.
 */
import type { Message } from './node.js';

/** How many of each fault may happen. */
export interface FaultCounts {
  /** Messages that are lost. */
  readonly losses: number;
  /** Messages that are duplicated. */
  readonly duplications: number;
  readonly crashes: number;
  readonly restarts: number;
  /** Splits of the network into any two parts; it may heal at any time, or never. */
  readonly partitions: number;
}

/** Of each fault of channels: whether a protocol tolerates it, or its probability. */
export interface ChannelFaults<T> {
  /** A message is lost. */
  readonly loss: T;
  /** A message is duplicated. */
  readonly duplication: T;
}

/** What a channel may do to a message in flight. */
export type ChannelFault = 'drop' | 'duplicate';

/** What has become of a message by it: a figure of a simulation. */
export type MessageFate = 'lost' | 'duplicated';

interface FaultKind {
  /** The action by which it happens in an exploration; of a channel, also its event in a trace. */
  readonly action: string;
  /** What a protocol declares to tolerate, of its channels or of its nodes. */
  readonly tolerance: keyof ChannelFaults<unknown> | 'crash' | 'restart';
  /** Of the command line, and what its help says. */
  readonly option: string;
  readonly help: string;
  readonly name: readonly [one: string, many: string];
  /** What a budget counts: `1 message lost`. */
  readonly counted: readonly [one: string, many: string];
}

interface ChannelFaultKind extends FaultKind {
  readonly action: ChannelFault;
  readonly tolerance: keyof ChannelFaults<unknown>;
  /** What the channel does to a message. */
  readonly verb: string;
  readonly fate: MessageFate;
  /** What a protocol needs that tolerates it. */
  readonly remedy: string;
  readonly leaves: Leaves;
}

/** What is in flight in place of a message, also of its text in a trace. */
type Leaves = <T extends Message | string>(message: T) => readonly T[];

const nothing: Leaves = () => [];
const twice: Leaves = (message) => [message, message];

export const kinds = {
  losses: {
    action: 'drop',
    tolerance: 'loss',
    option: 'loss',
    help: 'how many messages may be lost',
    name: ['loss', 'losses'],
    counted: ['message lost', 'messages lost'],
    verb: 'lose',
    fate: 'lost',
    remedy: 'what should send it again?',
    leaves: nothing,
  },
  duplications: {
    action: 'duplicate',
    tolerance: 'duplication',
    option: 'duplicate',
    help: 'how many messages may be duplicated',
    name: ['duplication', 'duplications'],
    counted: ['message duplicated', 'messages duplicated'],
    verb: 'duplicate',
    fate: 'duplicated',
    remedy: 'what should tell the copies apart?',
    leaves: twice,
  },
  crashes: {
    action: 'crash',
    tolerance: 'crash',
    option: 'crash',
    help: 'how many nodes may crash, between steps or in the middle of one',
    name: ['crash', 'crashes'],
    counted: ['crash', 'crashes'],
  },
  restarts: {
    action: 'restart',
    tolerance: 'restart',
    option: 'restart',
    help: 'how many crashed nodes may restart',
    name: ['restart', 'restarts'],
    counted: ['restart', 'restarts'],
  },
  partitions: {
    action: 'split',
    tolerance: 'loss',
    option: 'partition',
    help: 'how many times the network may split in two',
    name: ['split', 'splits'],
    counted: ['split of the network', 'splits of the network'],
  },
} as const satisfies Readonly<Record<keyof FaultCounts, FaultKind | ChannelFaultKind>>;

export type FaultName = keyof FaultCounts;
type ChannelRow = {
  [N in FaultName]: (typeof kinds)[N] extends infer Row extends { readonly verb: string }
    ? Row & { readonly count: N }
    : never;
}[FaultName];

/** All faults, in the order in which they are listed. */
export const faultNames = Object.keys(kinds) as readonly FaultName[]; // its keys

/** The faults of channels by their actions, each with its name in a budget. */
export const channelFaults = Object.fromEntries(
  faultNames.flatMap((count) => {
    const row = kinds[count];
    return 'verb' in row ? [[row.action, { ...row, count }]] : [];
  }),
) as { readonly [F in ChannelFault]: Extract<ChannelRow, { readonly action: F }> }; // as filtered

export const channelFaultRows: readonly ChannelRow[] = Object.values(channelFaults);

export const isChannelFault = (kind: string): kind is ChannelFault =>
  Object.hasOwn(channelFaults, kind);

/** The faults of the network: they can take a message away. */
export const networkFaults = faultNames.filter(
  (name) => kinds[name].tolerance !== 'crash' && kinds[name].tolerance !== 'restart',
);

/** A value for each fault. */
export const perFault = <T>(of: (name: FaultName) => T) =>
  Object.fromEntries(faultNames.map((name) => [name, of(name)])) as Record<FaultName, T>; // of each

/** A value for each fault of channels, by one of its names. */
export const perChannelFault = <N extends 'count' | 'option' | 'tolerance' | 'fate', T>(
  name: N,
  of: (row: ChannelRow) => T,
) =>
  Object.fromEntries(channelFaultRows.map((row) => [row[name], of(row)])) as {
    readonly [K in ChannelRow[N]]: T; // of each
  };

/** How many of a fault a protocol tolerates in a run. */
export function tolerated(
  {
    channels,
    tolerates = [],
  }: {
    readonly channels: ChannelFaults<boolean> & Partial<Pick<FaultCounts, 'losses'>>;
    readonly tolerates?: readonly ('crash' | 'restart')[];
  },
  fault: FaultName,
): number {
  const { tolerance } = kinds[fault];
  if (tolerance === 'crash' || tolerance === 'restart')
    return tolerates.includes(tolerance) ? Infinity : 0;
  const most: Partial<FaultCounts> = channels;
  return channels[tolerance] ? (most[fault] ?? Infinity) : 0;
}
