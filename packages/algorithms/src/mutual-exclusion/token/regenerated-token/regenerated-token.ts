/**
 * Loss and regeneration of the token on a one-way ring (after Le Lann, IFIP Congress 1977). A
 * coordinator that has seen no token for too long makes a new one, of the next epoch; a node that
 * has seen a later epoch discards a token of an earlier one. The cost is that of the token ring;
 * channels may lose messages, any order. Rules RT1–RT7, RT8–RT11 for the election, RT12 for
 * `cancel`: README.md
 */
import { type Effect, type NodeId, notify, type Received, send } from '@conclave/core/protocol';
import { and, assertEvent, setup, stateIn } from 'xstate';
import { extend } from '../../../composition/extended.js';
import { compose } from '../../../composition/region.js';
import { machine as lelannChangRoberts } from '../../../election/lelann-chang-roberts/lelann-chang-roberts.js';
import { cancel, type OptionSchemas, text, time, whole } from '../../../options.js';
import type { CancellableCommand } from '../../cancel.js';

export type Options = {
  /** The node that makes tokens. Default: the nodes elect one. */
  readonly coordinator?: NodeId;
  /**
   * How long, in milliseconds, the coordinator waits for the token: more than its longest round,
   * stays included; in real time at least 10. Default 1000.
   */
  readonly timeout?: number;
  /**
   * The number of tokens in a row that the coordinator makes before it sends an inquiry. Default 1;
   * 0: it always inquires.
   */
  readonly blindRegenerations?: number;
  /** The application may withdraw a request. Default false. */
  readonly cancel?: boolean;
};

export const regeneratedTokenOptions: OptionSchemas<Options> = {
  coordinator: text('the node that makes tokens; without it the nodes elect one'),
  timeout: time('how long the coordinator waits for the token'),
  blindRegenerations: whole(0, 'tokens in a row that it makes without an inquiry'),
  cancel,
};

// Messages, context, actions and guards of the nodes of the ring: rules RT1–RT12.

/** TOKEN: the receiver may enter. It carries its epoch and the number of entries in this epoch. */
type Token = { readonly type: 'token'; readonly epoch: number; readonly entries: number };

/** ELECTION and ELECTED of the election, under the names that they have here. */
export type ElectionMessage =
  | { readonly type: 'election-election'; readonly id: NodeId }
  | { readonly type: 'election-elected'; readonly id: NodeId };

/** INQUIRY returns to the coordinator unless a node is in its critical section. */
export type RingMessage = Token | { readonly type: 'inquiry' };

export type Message = RingMessage | ElectionMessage;

/**
 * Tells the coordinator's application that neither the token nor the inquiry has come: a node stays
 * in its critical section, or the ring is broken.
 */
type Notification = { readonly type: 'token-missing' };

interface Input {
  readonly self: NodeId;
  /** The next node on the ring. */
  readonly next: NodeId;
  /** Whether this node makes tokens: it was appointed, or elected. */
  readonly coordinator: boolean;
  /** The latest epoch of which this node has seen a token; 0 before the first. */
  readonly seen: number;
  /** How long, in milliseconds, a node waits for a token or for news of the election. */
  readonly timeout: number;
  /** The number of tokens in a row that the coordinator makes without an inquiry. */
  readonly blindRegenerations: number;
}

interface Context extends Input {
  /** The number of entries on the token that is here, of the epoch `seen`; 0 without a token. */
  readonly entries: number;
  /** The fencing token of this node's entry; 0 outside the critical section. */
  readonly fence: number;
  /** The number of tokens that this node has made without an inquiry since it last saw one. */
  readonly madeBlindly: number;
}

export type Event = CancellableCommand | Received<Message> | { readonly type: 'election-elect' };

/** More than the number of entries in any epoch. */
const epochFence = 2 ** 32;

/**
 * The number of an entry: larger than those before it in this epoch, and than all in earlier
 * epochs.
 */
export const fenceOf = (epoch: number, entries: number): number => epoch * epochFence + entries;

/** The epoch in which the entry with this number was made. */
export const epochOf = (fence: number): number => Math.floor(fence / epochFence);

const node = setup({
  types: {} as {
    input: Input;
    context: Context;
    events: Event;
    emitted: Effect<Message, Notification>;
  },
});

const takeToken = node.assign(({ event }) => {
  assertEvent(event, 'token');
  return { seen: event.epoch, entries: event.entries };
});

const enter = node.assign(({ context: { seen, entries } }) => ({
  entries: entries + 1,
  fence: fenceOf(seen, entries + 1),
}));

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
    countBlind: node.assign(({ context }) => ({ madeBlindly: context.madeBlindly + 1 })),
    resetBlind: node.assign({ madeBlindly: 0 }),
    inquire: node.emit(({ context }) => send(context.next, { type: 'inquiry' })),
    report: node.emit(notify({ type: 'token-missing' })),
    elect: node.raise({ type: 'election-elect' }),
    candidateAgain: node.emit(({ context }) =>
      send(context.next, { type: 'election-election', id: context.self }),
    ),
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
    mayRegenerate: ({ context }) => context.madeBlindly < context.blindRegenerations,
  },
  delays: { timeout: ({ context }) => context.timeout },
});

const client = member.createStateConfig({
  initial: 'released',
  states: {
    released: {
      on: {
        acquire: { target: 'wanted', description: 'RT2' },
        token: [
          { guard: 'isStale', description: 'RT4: discarded' },
          { actions: 'relayToken', description: 'RT2' },
        ],
      },
    },
    wanted: {
      tags: 'waiting',
      on: {
        token: [
          { guard: 'isStale', description: 'RT4: discarded' },
          { target: 'held', actions: ['takeToken', 'enter'], description: 'RT2' },
        ],
      },
    },
    held: {
      tags: ['critical', 'token'],
      on: {
        token: [
          { guard: 'isNewer', actions: 'takeToken', description: 'RT5' },
          { description: 'RT4: discarded' },
        ],
        release: { target: 'released', actions: 'passToken', description: 'RT2' },
      },
    },
  },
});

/**
 * A node that makes no tokens becomes the coordinator if it is appointed, and passes inquiries on.
 */
const appointable = member.createStateConfig({
  always: [
    {
      guard: and(['isCoordinator', 'noTokenYet']),
      target: 'watching',
      actions: 'makeToken',
      description: 'RT1',
    },
    { guard: 'isCoordinator', target: 'watching', description: 'RT7' },
  ],
  on: {
    inquiry: [
      { guard: 'isHeld', description: 'RT6: stopped, the token is here' },
      { actions: 'inquire', description: 'RT6' },
    ],
  },
});

const electable = member.createStateConfig({
  ...appointable,
  always: [...appointable.always, { guard: 'isElected', actions: 'assume', description: 'RT9' }],
});

/** The coordinator watches for the token, and inquires before it makes too many new ones. */
const coordinating = {
  watching: member.createStateConfig({
    tags: 'coordinator',
    on: {
      token: [
        { guard: 'isStale', description: 'RT4' },
        { guard: 'isWanted', target: 'inside', actions: 'resetBlind', description: 'RT3' },
        { target: 'watching', reenter: true, actions: 'resetBlind', description: 'RT3' },
      ],
      inquiry: { description: 'RT6: too late' },
    },
    after: {
      timeout: [
        {
          guard: 'mayRegenerate',
          target: 'watching',
          reenter: true,
          actions: ['countBlind', 'makeToken'],
          description: 'RT3',
        },
        { target: 'asking', actions: 'inquire', description: 'RT6' },
      ],
    },
  }),
  asking: member.createStateConfig({
    tags: 'coordinator',
    on: {
      token: [
        { guard: 'isStale', description: 'RT4' },
        { guard: 'isWanted', target: 'inside', actions: 'resetBlind', description: 'RT6' },
        { target: 'watching', actions: 'resetBlind', description: 'RT6' },
      ],
      inquiry: { target: 'watching', actions: 'makeToken', description: 'RT6' },
    },
    after: {
      timeout: {
        target: 'asking',
        reenter: true,
        actions: ['report', 'inquire'],
        description: 'RT6',
      },
    },
  }),
  inside: member.createStateConfig({
    tags: 'coordinator',
    on: {
      release: { target: 'watching', description: 'RT3' },
      inquiry: { description: 'RT6: too late' },
    },
  }),
};

/** Whether the election is still open, for a node that may be elected. */
const candidacy = member.createStateConfig({
  initial: 'starting',
  states: {
    starting: {
      always: [
        { guard: 'noTokenYet', target: 'electing', actions: 'elect', description: 'RT8' },
        { target: 'settled', description: 'RT7' },
      ],
    },
    electing: {
      on: {
        token: { target: 'settled', description: 'RT11' },
        'election-elected': { description: 'RT11: this node has restarted, its election is over' },
      },
      after: {
        timeout: [
          {
            guard: 'isCandidate',
            target: 'electing',
            reenter: true,
            actions: 'candidateAgain',
            description: 'RT10',
          },
          { target: 'settled', description: 'RT10' },
        ],
      },
    },
    settled: {
      on: {
        'election-election': { description: 'RT11: there is a coordinator' },
        'election-elected': { description: 'RT11: there is a coordinator' },
      },
    },
  },
});

const context = ({ input }: { readonly input: Input }): Context => ({
  ...input,
  entries: 0,
  fence: 0,
  madeBlindly: 0,
});

/** A node of a ring with an appointed coordinator. */
export const machine = member.createMachine({
  id: 'regenerated-token',
  type: 'parallel',
  context,
  states: {
    client,
    regenerator: { initial: 'off', states: { off: appointable, ...coordinating } },
  },
});

/**
 * A node of a ring that elects its coordinator by LeLann–Chang–Roberts, whose machine is one more
 * region.
 */
export const electingMachine = compose(
  member
    .createMachine({
      id: 'electing-regenerated-token',
      type: 'parallel',
      context,
      states: {
        client,
        regenerator: { initial: 'off', states: { off: electable, ...coordinating } },
        candidacy,
      },
    })
    .provide({
      guards: { isElected: stateIn('#election.leader'), isCandidate: stateIn('#election.active') },
    }),
  { election: lelannChangRoberts },
);

/** The option `cancel`: a node needs the token no longer. */
const unlessCancelled = {
  client: member.createStateConfig({
    states: { wanted: { on: { cancel: { target: 'released', description: 'RT12' } } } },
  }),
};

export const cancellableMachine = extend('cancellable-regenerated-token', machine, unlessCancelled);

export const cancellableElectingMachine = extend(
  'cancellable-electing-regenerated-token',
  electingMachine,
  unlessCancelled,
);
