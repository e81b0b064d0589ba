/** What a machine of the corpus says beside itself, and what is expected of it. */
import type { AnyStateMachine } from 'xstate';
import type { Beside } from '../environment.js';

export interface Bare extends Beside {
  readonly machine: AnyStateMachine;
  /** Whether XState needs live actors or timers for it. */
  readonly isLive?: boolean;
  /** Of the step that fails. */
  readonly fails?: RegExp;
  /** A part of the reason for which it is refused. */
  readonly refused?: string;
}
