/**
 * A lease in one row of a store that compares and sets. 3 messages per entry at light load, one
 * round trip to enter; channels may lose, duplicate and reorder, clients and store may crash and
 * restart, clocks drift within a bound, and no clock is compared with another one. Rules LR1–LR15:
 * README.md
 *
 * Why not `expires < now()`: the clock of a client that judges the row of another one may be wrong by
 * any amount. Here the holder measures from before its request, and whoever waits measures how long
 * the row has not changed, each by its own clock. Only the rates of the clocks must agree.
 */
import { schemas } from '@conclave/core/internal';
import { type Effect, type NodeId, notify, type Received, send } from '@conclave/core/protocol';
import { and, not, or, setup, stateIn } from 'xstate';
import { extend } from '../../../composition/extended.js';
import {
  cancel,
  flag,
  type OptionSchemas,
  time,
  validityOf,
  validOptions,
} from '../../../options.js';
import type { CancellableCommand } from '../../cancel.js';

/** TAKE, RENEW and FREED go from client to store, and the others back. */
export type Message =
  | { readonly type: 'take'; readonly seen: number; readonly round: number }
  | { readonly type: 'renew'; readonly epoch: number; readonly round: number }
  | { readonly type: 'freed'; readonly epoch: number }
  | { readonly type: 'granted'; readonly epoch: number; readonly round: number }
  | { readonly type: 'taken'; readonly version: number; readonly round: number }
  | { readonly type: 'refused'; readonly epoch: number };

// The row, and the store that keeps it: rules LR6–LR10.

/** The row. */
export interface Row {
  /** How often it was written. */
  readonly version: number;
  /** The version that its latest entry has written, and the token of that entry; it never falls. */
  readonly epoch: number;
  /** The client of that entry; empty where the row is free. */
  readonly holder: NodeId;
  /** The latest request of the holder that was granted. */
  readonly round: number;
}

interface StoreInput extends Partial<Row> {
  /** With `clock`: after how many milliseconds a row that is not renewed is free. */
  readonly lease: number;
}

type StoreContext = Row & Pick<StoreInput, 'lease'>;

type Request = Extract<Message, { readonly type: 'take' | 'renew' | 'freed' }>;

const storeNode = setup({
  types: {} as {
    input: StoreInput;
    context: StoreContext;
    events: Received<Request>;
    emitted: Effect<Message>;
  },
});

const roundIn = (event: Request): number => ('round' in event ? event.round : 0);
const epochIn = (event: Message): number => ('epoch' in event ? event.epoch : 0);

const grant = storeNode.emit(({ context: { epoch }, event }) =>
  send(event.from, { type: 'granted', epoch, round: roundIn(event) }),
);
const isTaken = storeNode.emit(({ context: { version }, event }) =>
  send(event.from, { type: 'taken', version, round: roundIn(event) }),
);
const refuse = storeNode.emit(({ event }) =>
  send(event.from, { type: 'refused', epoch: epochIn(event) }),
);

const keeper = storeNode.extend({
  actions: {
    writeEntry: storeNode.assign(({ context: { version }, event }) => ({
      version: version + 1,
      epoch: version + 1,
      holder: event.from,
      round: roundIn(event),
    })),
    writeRenewal: storeNode.assign(({ context: { version, round }, event }) => ({
      version: version + 1,
      round: Math.max(round, roundIn(event)),
    })),
    writeFree: storeNode.assign(({ context: { version } }) => ({
      version: version + 1,
      holder: '',
    })),
    ...{ grant, isTaken, refuse },
  },
  guards: {
    hasHolder: ({ context }) => context.holder !== '',
    isUnchanged: ({ context, event }) => 'seen' in event && event.seen === context.version,
    isOfHolder: ({ context, event }) => event.from === context.holder,
    isLater: ({ context, event }) => roundIn(event) > context.round,
    isRepeated: ({ context, event }) => roundIn(event) === context.round,
    isItsEpoch: ({ context, event }) => epochIn(event) === context.epoch,
  },
  delays: { lease: ({ context }) => context.lease },
});

const row = {
  take: [
    {
      guard: or(['isUnchanged', and(['isOfHolder', 'isLater'])]),
      target: 'held',
      reenter: true,
      actions: ['writeEntry', 'grant'],
      description: 'LR7',
    },
    { guard: and(['isOfHolder', 'isRepeated']), actions: 'grant', description: 'LR7' },
    { actions: 'isTaken', description: 'LR7' },
  ],
  renew: [
    {
      guard: 'isItsEpoch',
      target: 'held',
      reenter: true,
      actions: ['writeRenewal', 'grant'],
      description: 'LR8',
    },
    { actions: 'refuse', description: 'LR8' },
  ],
  freed: [
    { guard: 'isItsEpoch', target: 'free', actions: 'writeFree', description: 'LR9' },
    { description: 'LR9: of an entry before' },
  ],
} as const;

const storeWith = (id: string, held: Parameters<typeof keeper.createStateConfig>[0]) =>
  keeper.createMachine({
    id,
    context: ({ input: { lease, version = 0, epoch = 0, holder = '', round = 0 } }) => ({
      ...{ lease, version, epoch, holder, round },
    }),
    initial: 'free',
    states: {
      free: {
        always: { guard: 'hasHolder', target: 'held', description: 'LR10' },
        on: {
          take: { target: 'held', actions: ['writeEntry', 'grant'], description: 'LR6' },
          renew: { actions: 'refuse', description: 'LR8' },
          freed: { description: 'LR9: it is free' },
        },
      },
      held,
    },
  });

export const store = storeWith('store', { on: row });

/** With `clock`: the store frees a row that is not renewed, by its own clock. */
export const clockedStore = storeWith('clocked-store', {
  on: row,
  after: { lease: { target: 'free', actions: 'writeFree', description: 'LR15' } },
});

// The clients: rules LR1–LR5, LR11–LR14.

interface ClientInput {
  /** How many requests it has made. */
  readonly round: number;
  readonly store: NodeId;
  /** For how long, in milliseconds, the client counts a request that was granted. */
  readonly validity: number;
  /** The milliseconds from one request to the next. */
  readonly renewal: number;
  /** For how many renewals a row must not have changed before it is taken over; 0: it never is. */
  readonly patience: number;
}

export interface ClientContext extends ClientInput {
  /** The latest of its requests that was answered while it waited, or granted while it is inside. */
  readonly answered: number;
  /** The token of its entry. */
  readonly epoch: number;
  /** The version of the row of another one, while it waits; 0: it knows none. */
  readonly seen: number;
  /** For how many renewals it knows that version. */
  readonly unchanged: number;
}

export type Notification = { readonly type: 'lost'; readonly reason: 'lease-expired' | 'taken' };

type Answer = Extract<Message, { readonly type: 'granted' | 'taken' | 'refused' }>;

/** The client's own: it makes an even or odd request, or measures no longer. */
type Stopwatch = { readonly type: 'even' | 'odd' | 'stopped' };

const clientNode = setup({
  types: {} as {
    input: ClientInput;
    context: ClientContext;
    events: CancellableCommand | Received<Answer> | Stopwatch;
    emitted: Effect<Message, Notification>;
  },
});

/** The latest request that the stopwatch of this parity measures. */
const measured = (round: number, parity: 0 | 1): number => round - ((round + parity) % 2);

/** The stopwatches that prove, while they run, that the row is this client's. */
export const provingStopwatches = ({
  round,
  answered,
}: Pick<ClientContext, 'round' | 'answered'>): readonly ('even' | 'odd')[] => [
  ...(measured(round, 0) === answered ? ['even' as const] : []),
  ...(measured(round, 1) === answered ? ['odd' as const] : []),
];

const proves =
  (parity: 'even' | 'odd') =>
  ({ context }: { readonly context: ClientContext }) =>
    provingStopwatches(context).includes(parity);

const toStore = (what: (context: ClientContext) => Message) =>
  clientNode.emit(({ context }) => send(context.store, what(context)));

const client = clientNode.extend({
  actions: {
    begin: clientNode.assign({ seen: 0, unchanged: 0 }),
    nextRound: clientNode.assign(({ context }) => ({ round: context.round + 1 })),
    startStopwatch: clientNode.raise(({ context }) => ({
      type: context.round % 2 === 0 ? 'even' : 'odd',
    })),
    stopStopwatches: clientNode.raise({ type: 'stopped' }),
    take: toStore(({ patience, unchanged, seen, round }) => ({
      type: 'take',
      seen: patience > 0 && unchanged >= patience ? seen : 0,
      round,
    })),
    renew: toStore(({ epoch, round }) => ({ type: 'renew', epoch, round })),
    free: toStore(({ epoch }) => ({ type: 'freed', epoch })),
    freeThis: clientNode.emit(({ context, event }) =>
      send(context.store, { type: 'freed', epoch: event.type === 'granted' ? event.epoch : 0 }),
    ),
    count: clientNode.assign(({ context: { seen, unchanged, patience } }) => ({
      unchanged: seen > 0 ? Math.min(unchanged + 1, patience) : 0,
    })),
    watch: clientNode.assign(({ context: { seen, unchanged }, event }) => {
      const version = event.type === 'taken' ? event.version : 0;
      return { seen: version, unchanged: version === seen ? unchanged : 0 };
    }),
    noteAnswer: clientNode.assign(({ context }) => ({ answered: context.round })),
    enter: clientNode.assign(({ context, event }) => ({
      answered: context.round,
      epoch: event.type === 'granted' ? event.epoch : 0,
    })),
    reportExpiry: clientNode.emit(notify({ type: 'lost', reason: 'lease-expired' })),
    reportTaking: clientNode.emit(notify({ type: 'lost', reason: 'taken' })),
  },
  guards: {
    evenProves: proves('even'),
    oddProves: proves('odd'),
    isProved: or([
      and([stateIn({ even: 'running' }), 'evenProves']),
      and([stateIn({ odd: 'running' }), 'oddProves']),
    ]),
    isUnproved: not('isProved'),
    isRoundAnswered: ({ context }) => context.answered === context.round,
    isCurrent: ({ context, event }) => 'round' in event && event.round === context.round,
    isItsEpoch: ({ context, event }) => 'epoch' in event && event.epoch === context.epoch,
    isEven: ({ context }) => context.round % 2 === 0,
    isMeasured: or([
      and([stateIn({ even: 'running' }), 'isEven']),
      and([stateIn({ odd: 'running' }), not('isEven')]),
    ]),
  },
  delays: {
    validity: ({ context }) => context.validity,
    renewal: ({ context }) => context.renewal,
  },
});

/** The time since the latest even, or odd, request was sent. */
const stopwatch = (parity: 'even' | 'odd') =>
  client.createStateConfig({
    initial: 'off',
    states: {
      off: { on: { [parity]: { target: 'running', description: 'LR1' } } },
      running: {
        on: { [parity]: { target: 'running', reenter: true, description: 'LR1' }, stopped: 'off' },
        after: { validity: { target: 'off', description: 'LR4' } },
      },
    },
  });

const idle = client.createStateConfig({
  on: {
    acquire: {
      target: 'waiting',
      actions: ['begin', 'nextRound', 'startStopwatch', 'take'],
      description: 'LR1',
    },
    granted: { actions: 'freeThis', description: 'LR12' },
    taken: { description: 'LR12: it requests no longer' },
    refused: { description: 'LR12: its entry has ended' },
  },
});

const waiting = client.createStateConfig({
  tags: 'waiting',
  on: {
    granted: [
      {
        guard: and(['isCurrent', 'isMeasured']),
        target: 'held',
        actions: 'enter',
        description: 'LR3',
      },
      {
        guard: 'isCurrent',
        target: 'waiting',
        reenter: true,
        actions: ['nextRound', 'startStopwatch', 'take'],
        description: 'LR3: it cannot tell for how long the row is its own',
      },
      { description: 'LR12: of an earlier request' },
    ],
    taken: [
      { guard: 'isCurrent', actions: ['watch', 'noteAnswer'], description: 'LR11' },
      { description: 'LR12: of an earlier request' },
    ],
    refused: { description: 'LR12: of an earlier entry' },
  },
  after: {
    renewal: [
      {
        guard: 'isRoundAnswered',
        target: 'waiting',
        reenter: true,
        actions: ['count', 'nextRound', 'startStopwatch', 'take'],
        description: 'LR2',
      },
      { target: 'waiting', reenter: true, actions: ['count', 'take'], description: 'LR2' },
    ],
  },
});

const held = client.createStateConfig({
  tags: 'critical',
  always: {
    guard: 'isUnproved',
    target: 'idle',
    actions: ['reportExpiry', 'free', 'stopStopwatches'],
    description: 'LR4',
  },
  on: {
    granted: [
      { guard: and(['isCurrent', 'isItsEpoch']), actions: 'enter', description: 'LR3' },
      { description: 'LR12: of an earlier request' },
    ],
    taken: { description: 'LR12: it was free later' },
    refused: [
      {
        guard: 'isItsEpoch',
        target: 'idle',
        actions: ['reportTaking', 'stopStopwatches'],
        description: 'LR13',
      },
      { description: 'LR12: of an earlier entry' },
    ],
    release: {
      target: 'idle',
      actions: ['free', 'stopStopwatches'],
      description: 'LR5',
    },
  },
  after: {
    renewal: [
      {
        guard: 'isRoundAnswered',
        target: 'held',
        reenter: true,
        actions: ['nextRound', 'startStopwatch', 'renew'],
        description: 'LR2',
      },
      { target: 'held', reenter: true, actions: 'renew', description: 'LR2' },
    ],
  },
});

export const machine = client.createMachine({
  id: 'lease-in-one-row',
  context: ({ input }) => ({
    ...input,
    ...{ answered: 0, epoch: 0, seen: 0, unchanged: 0 },
  }),
  type: 'parallel',
  states: {
    client: { initial: 'idle', states: { idle, waiting, held } },
    even: stopwatch('even'),
    odd: stopwatch('odd'),
  },
});

/** With `cancel`: a client that waits no longer gives back what comes. */
export const cancellable = extend('cancellable-lease-in-one-row', machine, {
  client: client.createStateConfig({
    states: {
      waiting: {
        on: { cancel: { target: 'idle', actions: 'stopStopwatches', description: 'LR14' } },
      },
    },
  }),
});

// The options with their defaults, and what follows from them.

export type Options = {
  /**
   * For how long, in milliseconds, the row is bound to its holder after a renewal. After a crash of
   * the holder, the others wait at least as long. Two renewals must fit into it. In real time at least
   * 1 / `drift`, such as 100: a timer may end 1 ms early, and the drift must allow for that. Default
   * 10,000.
   */
  readonly lease?: number;
  /**
   * By which part of itself each measured time may be wrong, at most: a timer of 1,000 ms fires
   * after 1,000 · (1 − drift) to 1,000 · (1 + drift) ms. Default 0.01.
   */
  readonly drift?: number;
  /**
   * The time, in milliseconds, from one request to the next; more than a round trip, and in real
   * time at least 10. Default: a fifth of `lease`.
   */
  readonly renewal?: number;
  /**
   * The store frees a row that is not renewed, by its own clock, which must then be right about
   * time spans. A client that comes later need not wait for a lease. Default false: the clients that
   * wait see that the row does not change.
   */
  readonly clock?: boolean;
  /** The application may withdraw a request. Default false. */
  readonly cancel?: boolean;
};

export const leaseInOneRowOptions: OptionSchemas<Options> = {
  lease: time('how long the row is bound to its holder'),
  drift: {
    type: 'number',
    meaning: 'by which part of it a time on a clock may be wrong, at most: 0.01',
    schema: schemas.drift,
  },
  renewal: time('the time from one request to the next'),
  clock: flag('the store frees a row that is not renewed, by its own clock'),
  cancel,
};

export type Settings = ReturnType<typeof settingsOf>;

/** @throws {ConclaveError} `bad-input`, as `leaseInOneRow` does. */
export function settingsOf(options: Options) {
  const {
    lease = 10_000,
    drift = 0.01,
    renewal = lease / 5,
    clock = false,
    cancel: withdraws = false,
  } = validOptions('leaseInOneRow', leaseInOneRowOptions, options);
  const validity = validityOf('leaseInOneRow', { lease, drift, renewal });
  return { lease, drift, renewal, clock, cancel: withdraws, validity };
}
