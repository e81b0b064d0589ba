/**
 * Election over a group: the smallest member of the current view is the leader (K. P. Birman, T. A.
 * Joseph, SOSP 1987: whoever is oldest, or first in the order of the view, acts). No message of its
 * own. Rules VL1–VL3: README.md
 */
import type { Effect, NodeId } from '@conclave/core/protocol';
import { setup } from 'xstate';
import { compose } from '../../composition/region.js';
import type { Input as GroupInput } from '../../detectors/membership/member.js';
import { machine as membership } from '../../detectors/membership/membership.js';
import type { Command } from '../election.js';

/** What the group tells: a view. */
type GroupEvent = {
  readonly type: 'group-view';
  readonly number: number;
  readonly members: readonly NodeId[];
};

export interface Input {
  readonly self: NodeId;
  readonly group: GroupInput;
}

interface Context {
  readonly self: NodeId;
  /** The number of the view. */
  readonly term: number;
  readonly leader: NodeId | null;
}

const node = setup({
  types: {} as {
    input: Input;
    context: Context;
    events: Command | GroupEvent;
    emitted: Effect<never>;
  },
}).extend({
  guards: {
    isSmallest: ({ context, event }) =>
      event.type === 'group-view' && event.members[0] === context.self,
  },
});
const member = node.extend({
  actions: {
    follow: node.assign(({ event }) =>
      event.type === 'group-view' ? { term: event.number, leader: event.members[0] ?? null } : {},
    ),
  },
});

const onElect = { description: 'VL3: the view has a leader' } as const;

const view = [
  { guard: 'isSmallest', target: 'leader', actions: 'follow', description: 'VL1' },
  { target: 'passive', actions: 'follow', description: 'VL2' },
] as const;

const role = member.createStateConfig({
  initial: 'outside',
  meta: { raises: ['group-view'] },
  states: {
    outside: {
      tags: 'waiting',
      on: { 'group-view': view, elect: { description: 'VL3: it is in no view' } },
    },
    passive: { tags: 'decided', on: { 'group-view': view, elect: onElect } },
    leader: {
      tags: ['decided', 'leader'],
      on: {
        'group-view': {
          target: 'leader',
          actions: 'follow',
          description: 'VL1: nobody joins, so it stays the smallest',
        },
        elect: onElect,
      },
    },
  },
});

export const machine = compose(
  member.createMachine({
    id: 'view-leader',
    type: 'parallel',
    context: ({ input }) => ({ self: input.self, term: 0, leader: null }),
    states: { role },
  }),
  { group: membership },
  { group: { told: ['view'], unused: ['join', 'leave', 'multicast', 'snapshot'] } },
);
