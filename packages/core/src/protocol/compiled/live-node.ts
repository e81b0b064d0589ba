import type { AnyMachineSnapshot, EventObject, InspectionEvent, StateValue } from 'xstate';
import type { Json } from '../node.js';
import type { TimerClock } from '../node-timers.js';
import type { NodeView } from '../property.js';
import type { HostEffect } from '../step.js';
import type { Stimulus } from '../stimulus.js';
import type { PlainState } from './compile.js';

/** A node as its host runs it: on compiled steps, or as an XState actor. */
export interface LiveNode extends Pick<NodeView, 'id' | 'role' | 'value' | 'context' | 'tags'> {
  /** The ids of the armed timers, in the order they were armed. */
  readonly timers: readonly string[];
  /** Runs the entry actions. */
  start(): void;
  /**
   * @throws {ConclaveError} `unhandled` when nothing in the current state takes `event`;
   * `bad-protocol` when the machine fails.
   */
  receive(event: EventObject): void;
  /** Whether the current state takes a command or message like `event`. */
  takes(event: EventObject): boolean;
  /** Ends it, and clears its timers. */
  stop(): void;
}

/** What a node is after a step; a {@link LiveNode} goes on. */
export type Moment = Pick<LiveNode, 'id' | 'role' | 'value' | 'context' | 'tags' | 'timers'>;

export const momentOf = ({ id, role, value, context, tags, timers }: LiveNode): Moment => ({
  id,
  role,
  value,
  context,
  tags,
  timers,
});

/** The state of a node before a step, as what runs it keeps it. */
export type StateBefore = PlainState | AnyMachineSnapshot;

/** How a {@link LiveNode} reaches its host. */
export interface LiveHost {
  readonly clock: TimerClock;
  /** Called after each step; `before` is undefined at a start. */
  stepped(
    node: LiveNode,
    stimulus: Stimulus,
    before: StateBefore | undefined,
    effects: readonly HostEffect[],
  ): void;
  /** XState's own inspection, which only an actor has. */
  readonly inspect?: (event: InspectionEvent) => void;
  /** Picks one of the options of a `choose` effect. */
  choose(node: LiveNode, options: readonly Json[], weights?: readonly number[]): Json;
}

export const valueBefore = (before: StateBefore): StateValue =>
  'configuration' in before ? before.configuration.value : before.value;
