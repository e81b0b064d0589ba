/**
 * The option `revoke`: an operator takes the lock away, at any node. All ballots so far are below
 * the floor from then on, and the client that has the lock by one of them leaves. Rules RV1–RV4:
 * README.md
 */
import { notify } from '@conclave/core/protocol';
import { type AnyStateMachine, assertEvent } from 'xstate';
import { extend } from '../../../composition/extended.js';
import { node, tell } from './actions.js';
import { stampIn } from './configuration.js';
import { member } from './leased-majority.js';
import type { Context, Event, Message } from './node.js';
import { tellWithTicket, ticketIn } from './serving.js';

interface Given {
  readonly context: Context;
  readonly event: Event;
}

const none = { floor: 0, reason: '' };

/** With `servers`, clients get a ticket with each answer. */
const answer: typeof tell = (whom, what) =>
  node.enqueueActions(({ context, enqueue }) => {
    enqueue((context.client === undefined ? tell : tellWithTicket)(whom, what));
  });

const noteRevocation = member.assign(({ context: { revoked = none }, event }) => {
  assertEvent(event, 'revoked');
  const { floor, reason } = event;
  return floor > revoked.floor ? { revoked: { floor, reason } } : {};
});

/** With `servers`: the client that has the vote hears of it from the voter alone. */
const noteAndTell = node.enqueueActions(({ context: { client, vote }, event, enqueue }) => {
  assertEvent(event, 'revoked');
  const { floor, reason } = event;
  enqueue(noteRevocation);
  if (client && vote < floor)
    enqueue(
      answer(
        () => [client],
        () => ({ type: 'revoked', floor, reason }),
      ),
    );
});

const implementations = {
  actions: {
    revoke: answer(
      ({ context }) => context.nodes,
      ({ context, event }): Message => {
        assertEvent(event, 'revoke');
        return { type: 'revoked', floor: context.largest + 1, reason: event.reason };
      },
    ),
    noteRevocation,
    tellRevocation: answer(
      ({ event }) => ('from' in event ? [event.from] : []),
      ({ context: { revoked = none } }): Message => ({ type: 'revoked', ...revoked }),
    ),
    reportRevocation: member.emit(({ event }) => {
      assertEvent(event, 'revoked');
      return notify({ type: 'lost', reason: 'revoked', why: event.reason });
    }),
  },
  guards: {
    /** A client of servers takes no ticket twice. */
    isRevoked: ({ context, event }: Given) =>
      event.type === 'revoked' &&
      event.floor > context.ballot &&
      (context.reserve === undefined || ticketIn(event) > context.largest),
    isOfRevoked: ({ context, event }: Given) =>
      (event.type === 'request' || event.type === 'try') &&
      event.ballot > 0 &&
      event.ballot < (context.revoked ?? none).floor &&
      numberIn(event) >= numberIn(context),
  },
};

const numberIn = (of: object): number => stampIn(of).configuration?.number ?? 0;

const revoker = member.extend(implementations);

const revoke = { actions: 'revoke', description: 'RV1' } as const;
const others = { description: 'RV2: it has no ballot below the floor' } as const;
const leave = ['noteExit', 'returnVotes', 'forgetVotes', 'stopStopwatches'] as const;
const isTaken = { guard: 'isRevoked', target: 'idle', description: 'RV2' } as const;

const idle = revoker.createStateConfig({ on: { revoke, revoked: others } });

const waiting = revoker.createStateConfig({
  on: {
    revoke,
    revoked: [
      {
        guard: 'isRevoked',
        target: 'waiting',
        reenter: true,
        actions: ['stopStopwatches', 'takeBallot', 'nextRound', 'startStopwatch', 'request'],
        description: 'RV3',
      },
      others,
    ],
  },
});

const held = revoker.createStateConfig({
  on: { revoke, revoked: [{ ...isTaken, actions: ['reportRevocation', ...leave] }, others] },
});

const heldWithKeep = revoker.createStateConfig({
  on: {
    revoke,
    revoked: [{ ...isTaken, actions: ['reportRevocation', ...leave, 'forgetEntries'] }, others],
  },
});

const keeping = revoker.createStateConfig({
  on: { revoke, revoked: [{ ...isTaken, actions: [...leave, 'forgetEntries'] }, others] },
});

const request = {
  guard: 'isOfRevoked',
  actions: ['learn', 'tellRevocation'],
  description: 'RV4',
} as const;
const voting = revoker.createStateConfig({
  on: {
    revoked: { actions: ['learn', 'noteRevocation'], description: 'RV4' },
    request,
  },
});
const serving = revoker.createStateConfig({ on: { ...voting.on, try: request } });

/** With what its other options have added to it. */
export function revocable(of: AnyStateMachine): AnyStateMachine {
  const { client, voter } = of.config.states ?? {};
  const keeps = client?.states?.keeping !== undefined;
  const added = {
    ...{ idle, waiting, held: keeps ? heldWithKeep : held },
    ...(keeps && { keeping }),
    ...(client?.states?.staying && { staying: keeping }),
  };
  const serves = voter?.states?.free?.on !== undefined && 'try' in voter.states.free.on;
  const votes = serves ? serving : voting;
  const machine = of.provide(implementations);
  return extend(
    `revocable-${of.id}`,
    serves ? machine.provide({ actions: { noteRevocation: noteAndTell } }) : machine,
    {
      client: { states: voter ? added : withoutRevoke(added) },
      ...(voter && { voter: { states: { free: votes, bound: votes } } }),
    },
    { revoked: none },
  );
}

/** A client does not see the requests of others: a revocation of its own might miss them. */
const withoutRevoke = (states: Readonly<Record<string, { readonly on: object }>>) =>
  Object.fromEntries(
    Object.entries(states).map(([name, { on }]) => [
      name,
      { on: Object.fromEntries(Object.entries(on).filter(([event]) => event !== 'revoke')) },
    ]),
  );
