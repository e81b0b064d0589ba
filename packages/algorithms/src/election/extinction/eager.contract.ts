/**
 * Plain extinction with nodes that decide by a rule of their own, for tests that refute such rules.
 */
import { always, type NodeId, type Property, type Protocol } from '@conclave/core/protocol';
import { type AnyStateMachine, assign } from 'xstate';
import { withMachine, withState } from '../../contract/mutant.js';
import { machine } from './extinction.js';
import { extinction } from './protocol.js';

const oneDecides: Property = always(
  'at most one node decides',
  (system) => system.count('decided') <= 1,
);

const larger = { guard: 'isLarger', target: 'relaying', actions: ['note', 'flood'] };

interface Listening {
  /** The neighbours that have not sent a smaller id. */
  readonly silent: readonly NodeId[];
}

/** A candidate that decides when each neighbour has sent it a smaller id. */
const patient: AnyStateMachine = withState(machine, [], {
  states: {
    asleep: {
      on: {
        elect: { target: 'candidate', actions: ['noteOwn', 'flood', 'listen'] },
        explorer: { target: 'relaying', actions: ['note', 'flood'] },
      },
    },
    candidate: {
      tags: ['reached', 'candidate'],
      always: { guard: 'heardFromAll', target: 'decided' },
      on: { elect: {}, explorer: [larger, { actions: 'hear' }] },
    },
    decided: {
      tags: ['reached', 'candidate', 'decided'],
      on: { elect: {}, explorer: [larger, {}] },
    },
    relaying: {
      tags: 'reached',
      on: { elect: {}, explorer: [{ guard: 'isLarger', actions: ['note', 'flood'] }, {}] },
    },
  },
}).provide({
  actions: {
    listen: assign(({ context }) => ({ silent: context.neighbours })),
    hear: assign(({ context, event }) => ({
      silent: context.silent.filter((id: string) => id !== event.from),
    })),
  },
  guards: {
    heardFromAll: ({ context }: { readonly context: Listening }) => context.silent.length === 0,
  },
});

/** A candidate that decides at once. */
const hasty = withState(machine, ['candidate'], { tags: ['reached', 'candidate', 'decided'] });

const deciding = (nodes: AnyStateMachine): Protocol => ({
  ...withMachine(extinction(), nodes),
  properties: [oneDecides],
});

export const eager = { patient: deciding(patient), hasty: deciding(hasty) };
