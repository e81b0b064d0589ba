/**
 * The option `revoke`: an operator takes the lock away, at any node. All ballots so far are below
 * the floor from then on, and the client that has the lock by one of them leaves. Rules RV1–RV4:
 * README.md
 */
import { notify } from '@conclave/core/protocol';
import { type AnyStateMachine, assertEvent } from 'xstate';
import { extend } from '../../../composition/extended.js';
import { tell } from './actions.js';
import { member } from './leased-majority.js';
import type { Context, Event, Message } from './node.js';

interface Given {
  readonly context: Context;
  readonly event: Event;
}

const none = { floor: 0, reason: '' };

const implementations = {
  actions: {
    revoke: tell(
      ({ context }) => context.nodes,
      ({ context, event }): Message => {
        assertEvent(event, 'revoke');
        return { type: 'revoked', floor: context.largest + 1, reason: event.reason };
      },
    ),
    noteRevocation: member.assign(({ context: { revoked = none }, event }) => {
      assertEvent(event, 'revoked');
      const { floor, reason } = event;
      return floor > revoked.floor ? { revoked: { floor, reason } } : {};
    }),
    tellRevocation: tell(
      ({ event }) => ('from' in event ? [event.from] : []),
      ({ context: { revoked = none } }): Message => ({ type: 'revoked', ...revoked }),
    ),
    reportRevocation: member.emit(({ event }) => {
      assertEvent(event, 'revoked');
      return notify({ type: 'lost', reason: 'revoked', why: event.reason });
    }),
  },
  guards: {
    isRevoked: ({ context, event }: Given) =>
      event.type === 'revoked' && event.floor > context.ballot,
    isOfRevoked: ({ context: { revoked = none }, event }: Given) =>
      event.type === 'request' && event.ballot < revoked.floor,
  },
};

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

const voting = revoker.createStateConfig({
  on: {
    revoked: { actions: ['learn', 'noteRevocation'], description: 'RV4' },
    request: {
      guard: 'isOfRevoked',
      actions: ['learn', 'tellRevocation'],
      description: 'RV4',
    },
  },
});

const made = new WeakMap<AnyStateMachine, AnyStateMachine>();

/** @param keeps whether it has the option `keep` */
export function revocable(of: AnyStateMachine, keeps: boolean): AnyStateMachine {
  const known = made.get(of);
  if (known) return known;
  const machine = extend(
    `revocable-${of.id}`,
    of.provide(implementations),
    {
      client: {
        states: { idle, waiting, ...(keeps ? { held: heldWithKeep, keeping } : { held }) },
      },
      voter: { states: { free: voting, bound: voting } },
    },
    { revoked: none },
  );
  made.set(of, machine);
  return machine;
}
