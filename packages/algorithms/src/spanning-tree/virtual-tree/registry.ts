/**
 * The registry of the virtual tree: it tells newcomers the addresses of members, and appoints the
 * root. Rules VT2, VT11, VT12: README.md
 */
import { type Effect, type NodeId, type Received, send } from '@conclave/core/protocol';
import { assertEvent, setup } from 'xstate';
import type { Message } from './virtual-tree.js';

export interface Input {
  /** How many addresses a newcomer gets. */
  readonly addresses: number;
}

interface Context extends Input {
  /** In the order of their registration; the first is the root. */
  readonly members: readonly NodeId[];
}

const registry = setup({
  types: {} as {
    input: Input;
    context: Context;
    events: Received<Message>;
    emitted: Effect<Message>;
  },
});

/**
 * For the m-th newcomer, those whose number is a half, a quarter … of m: so the levels grow with
 * the logarithm of the number of nodes.
 */
function someOf({ members, addresses }: Context): readonly NodeId[] {
  const chosen = new Set<NodeId>();
  for (let place = members.length >> 1; chosen.size < addresses; place >>= 1) {
    for (const id of members.slice(place, place + 1)) chosen.add(id);
    if (place === 0) break;
  }
  return [...chosen];
}

const enrol = registry.enqueueActions(({ context, event, enqueue }) => {
  enqueue.emit(send(event.from, { type: 'addresses', ids: someOf(context) }));
  enqueue.assign({ members: [...context.members, event.from] });
});

const nameRoot = registry.emit(({ context, event }) =>
  send(event.from, {
    type: 'addresses',
    ids: context.members.slice(0, 1).filter((id) => id !== event.from),
  }),
);

const strike = registry.assign(({ context, event }) => ({
  members: context.members.filter((id) => id !== event.from),
}));

const appoint = registry.enqueueActions(({ context, enqueue }) => {
  for (const id of context.members.slice(0, 1)) enqueue.emit(send(id, { type: 'be-root' }));
});

export const machine = registry
  .extend({
    actions: { enrol, nameRoot, strike, appoint },
    guards: {
      isMember: ({ context, event }) => {
        assertEvent(event, 'register');
        return context.members.includes(event.from);
      },
      wasRoot: ({ context, event }) => {
        assertEvent(event, 'closed');
        return context.members[0] === event.from;
      },
    },
  })
  .createMachine({
    id: 'registry',
    context: ({ input }) => ({ ...input, members: [] }),
    initial: 'open',
    states: {
      open: {
        on: {
          register: [
            { guard: 'isMember', actions: 'nameRoot', description: 'VT11' },
            { actions: 'enrol', description: 'VT2' },
          ],
          closed: [
            { guard: 'wasRoot', actions: ['strike', 'appoint'], description: 'VT12' },
            { actions: 'strike', description: 'VT12' },
          ],
        },
      },
    },
  });
