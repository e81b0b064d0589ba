/**
 * Loss and regeneration of the token on a one-way ring (after LeLann, IFIP Congress 1977). A coordinator that has seen no token for too long
 * makes a new one, of the next epoch; a token of an earlier epoch is discarded wherever the later one is known.
 * Costs what the token ring costs; channels may lose messages, any order. Rules R1–R7, and E1–E4 for the election: README.md
 */
import { type Effect, type NodeId, notify, type Received, send } from '@conclave/core/protocol';
import { and, assertEvent, setup, stateIn } from 'xstate';
import { composed } from '../../../composition/composed.js';
import { machine as lelannChangRoberts } from '../../../election/lelann-chang-roberts/lelann-chang-roberts.js';
import type { Command } from '../../mutual-exclusion.js';

/** TOKEN: whoever has it may enter; of which epoch it is, and how many entries there have been in this epoch. */
export type Token = { readonly type: 'token'; readonly epoch: number; readonly entries: number };

/** What the election's messages are called here: ELECTION and ELECTED. */
export type ElectionMessage =
  | { readonly type: 'election-election'; readonly id: NodeId }
  | { readonly type: 'election-elected'; readonly id: NodeId };

/** INQUIRY comes back to the coordinator unless somebody is in the critical section. */
export type RingMessage = Token | { readonly type: 'inquiry' };

export type Message = RingMessage | ElectionMessage;

/** What the coordinator tells its application: neither the token nor the inquiry has come. Somebody stays inside, or the ring is broken. */
export type Notification = { readonly type: 'token-missing' };

export interface Input {
  readonly self: NodeId;
  /** The next node on the ring. */
  readonly next: NodeId;
  /** Whether this node makes tokens: by appointment, or since it was elected. */
  readonly coordinator: boolean;
  /** The latest epoch of which this node has seen a token; 0: none so far. */
  readonly seen: number;
  /** How long, in milliseconds, nothing may be seen of a token, or of an election. */
  readonly patience: number;
  /** How many tokens in a row the coordinator makes without an inquiry. */
  readonly guesses: number;
}

interface Context extends Input {
  /** Of the token that is here, which is of the epoch `seen`; 0 where none is. */
  readonly entries: number;
  /** The fencing token of this node's entry; 0 outside. */
  readonly fence: number;
  /** How many tokens this node has made without an inquiry since it saw the last one. */
  readonly guessed: number;
}

export type Event = Command | Received<Message> | { readonly type: 'election-elect' };

/** A later epoch comes before all entries of an earlier one. */
const epochFence = 2 ** 32;

/** The number of an entry: larger than those before it in this epoch, and than all of earlier epochs. */
export const fenceOf = (epoch: number, entries: number): number => epoch * epochFence + entries;

/** The epoch of the token by which the entry with this number was made. */
export const epochOf = (fence: number): number => Math.floor(fence / epochFence);

const node = setup({
  types: {} as { input: Input; context: Context; events: Event; emitted: Effect<Message, Notification> },
});

const takeToken = node.assign(({ event }) => {
  assertEvent(event, 'token');
  return { seen: event.epoch, entries: event.entries };
});

const enter = node.assign(({ context: { seen, entries } }) => ({ entries: entries + 1, fence: fenceOf(seen, entries + 1) }));

const passToken = node.enqueueActions(({ context: { next, seen, entries }, enqueue }) => {
  enqueue.emit(send(next, { type: 'token', epoch: seen, entries }));
  enqueue.assign({ entries: 0, fence: 0 });
});

const relayToken = node.enqueueActions(({ context, event, enqueue }) => {
  assertEvent(event, 'token');
  enqueue.assign({ seen: event.epoch });
  enqueue.emit(send(context.next, { type: 'token', epoch: event.epoch, entries: event.entries }));
});

const makeToken = node.enqueueActions(({ context: { next, seen }, enqueue }) => {
  enqueue.assign({ seen: seen + 1 });
  enqueue.emit(send(next, { type: 'token', epoch: seen + 1, entries: 0 }));
});

const member = node.extend({
  actions: {
    takeToken,
    enter,
    passToken,
    relayToken,
    makeToken,
    assume: node.assign({ coordinator: true }),
    countGuess: node.assign(({ context }) => ({ guessed: context.guessed + 1 })),
    forgetGuesses: node.assign({ guessed: 0 }),
    inquire: node.emit(({ context }) => send(context.next, { type: 'inquiry' })),
    report: node.emit(notify({ type: 'token-missing' })),
    elect: node.raise({ type: 'election-elect' }),
    candidateAgain: node.emit(({ context }) => send(context.next, { type: 'election-election', id: context.self })),
  },
  guards: {
    isStale: ({ context, event }) => {
      assertEvent(event, 'token');
      return event.epoch < context.seen;
    },
    isNewer: ({ context, event }) => {
      assertEvent(event, 'token');
      return event.epoch > context.seen;
    },
    isWanted: stateIn({ client: 'wanted' }),
    isHeld: stateIn({ client: 'held' }),
    isCoordinator: ({ context }) => context.coordinator,
    isElected: () => false,
    isCandidate: () => false,
    noTokenYet: ({ context }) => context.seen === 0,
    mayGuess: ({ context }) => context.guessed < context.guesses,
  },
  delays: { patience: ({ context }) => context.patience },
});

const client = member.createStateConfig({
  initial: 'released',
  states: {
    released: {
      on: {
        acquire: 'wanted',
        token: [
          { guard: 'isStale', description: 'discarded' }, // R4
          { actions: 'relayToken' }, // R2
        ],
      },
    },
    wanted: {
      tags: 'waiting',
      on: {
        token: [
          { guard: 'isStale', description: 'discarded' }, // R4
          { target: 'held', actions: ['takeToken', 'enter'] }, // R2
        ],
      },
    },
    held: {
      tags: ['critical', 'token'],
      on: {
        token: [
          { guard: 'isNewer', actions: 'takeToken' }, // R5
          { description: 'discarded' }, // R4
        ],
        release: { target: 'released', actions: 'passToken' }, // R2
      },
    },
  },
});

/** Of the coordinator: what it does about a token that does not come. Of the others: whether they let an inquiry pass. */
const regeneratorOf = ({ elects }: { readonly elects: boolean }) =>
  member.createStateConfig({
    initial: 'off',
    states: {
      off: {
        always: [
          { guard: and(['isCoordinator', 'noTokenYet']), target: 'watching', actions: 'makeToken' }, // R1
          { guard: 'isCoordinator', target: 'watching' }, // R7
          ...(elects ? [{ guard: 'isElected', actions: 'assume' } as const] : []), // E2
        ],
        on: {
          inquiry: [
            { guard: 'isHeld', description: 'stopped: the token is here' }, // R6
            { actions: 'inquire' }, // R6
          ],
        },
      },
      watching: {
        tags: 'coordinator',
        on: {
          token: [
            { guard: 'isStale' }, // R4
            { guard: 'isWanted', target: 'inside', actions: 'forgetGuesses' }, // R3
            { target: 'watching', reenter: true, actions: 'forgetGuesses' }, // R3
          ],
          inquiry: { description: 'it comes too late' }, // R6
        },
        after: {
          patience: [
            { guard: 'mayGuess', target: 'watching', reenter: true, actions: ['countGuess', 'makeToken'] }, // R3
            { target: 'asking', actions: 'inquire' }, // R6
          ],
        },
      },
      asking: {
        tags: 'coordinator',
        on: {
          token: [
            { guard: 'isStale' }, // R4
            { guard: 'isWanted', target: 'inside', actions: 'forgetGuesses' }, // R6
            { target: 'watching', actions: 'forgetGuesses' }, // R6
          ],
          inquiry: { target: 'watching', actions: 'makeToken' }, // R6
        },
        after: {
          patience: { target: 'asking', reenter: true, actions: ['report', 'inquire'] }, // R6
        },
      },
      inside: {
        tags: 'coordinator',
        on: {
          release: 'watching', // R3
          inquiry: { description: 'it comes too late' }, // R6
        },
      },
    },
  });

/** Of a node that may be elected: whether its election is still open. */
const candidacy = member.createStateConfig({
  initial: 'starting',
  states: {
    starting: {
      always: [
        { guard: 'noTokenYet', target: 'electing', actions: 'elect' }, // E1
        { target: 'settled' }, // R7
      ],
    },
    electing: {
      on: {
        token: 'settled', // E4
        'election-elected': { description: 'this node has restarted, and knows of no election' }, // E4
      },
      after: {
        patience: [
          { guard: 'isCandidate', target: 'electing', reenter: true, actions: 'candidateAgain' }, // E3
          { target: 'settled' }, // E3
        ],
      },
    },
    settled: {
      on: {
        'election-election': { description: 'there is a coordinator' }, // E4
        'election-elected': { description: 'there is a coordinator' }, // E4
      },
    },
  },
});

const context = ({ input }: { readonly input: Input }): Context => ({ ...input, entries: 0, fence: 0, guessed: 0 });

/** A node of a ring whose coordinator is given. */
export const machine = member.createMachine({
  id: 'regenerated-token',
  type: 'parallel',
  context,
  states: { client, regenerator: regeneratorOf({ elects: false }) },
});

/** A node of a ring that elects its coordinator by LeLann, Chang and Roberts: their machine is one more region. */
export const electingMachine = composed(
  member
    .createMachine({
      id: 'electing-regenerated-token',
      type: 'parallel',
      context,
      states: { client, regenerator: regeneratorOf({ elects: true }), candidacy },
    })
    .provide({ guards: { isElected: stateIn('#election.leader'), isCandidate: stateIn('#election.active') } }),
  { election: lelannChangRoberts },
);
