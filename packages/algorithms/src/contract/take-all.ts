import { step } from '@conclave/core/internal';
import type { LocalState } from '@conclave/core/protocol';
import type { AnyStateMachine, EventObject } from 'xstate';

/** What a node is after these events, one after the other, and the effects of the last one. */
export const takeAll = (
  machine: AnyStateMachine,
  id: string,
  state: LocalState,
  events: readonly EventObject[],
): ReturnType<typeof step> =>
  events.reduce<ReturnType<typeof step>>((taken, event) => step(machine, id, taken.state, event), {
    state,
    effects: [],
  });
